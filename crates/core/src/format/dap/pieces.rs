//! Cuts a box of elements into the boxes of requests.

use super::limits::{LARGEST_REQUEST, SPLIT_FROM};
use super::slice::Slice;
use crate::error::{Error, Result};

/// Pieces into which a long box is cut at least, so that several requests are under way.
const AT_ONCE: u64 = 4;

/// Most pieces of one box, of at least 4 MiB each.
const MOST_PIECES: u64 = 1 << 15;

/// The parts of a box of elements, each of about as many bytes as one request asks for. One after another they are the box in
/// C order. `size` is the bytes of an element as it is sent.
///
/// # Errors
/// If there would be too many.
pub fn pieces(slices: &[Slice], size: u64) -> Result<Vec<Vec<Slice>>> {
    let bytes = |slices: &[Slice]| {
        let counts = slices.iter().map(|slice| slice.count);
        counts.fold(size, u64::saturating_mul)
    };
    let all = bytes(slices);
    if all <= SPLIT_FROM {
        return Ok(vec![slices.to_vec()]);
    }
    if all / SPLIT_FROM > MOST_PIECES {
        return Err(Error::Unsupported("a region larger than memory".to_owned()));
    }
    let wanted = (all / AT_ONCE).clamp(SPLIT_FROM / 2, LARGEST_REQUEST);
    // Requests take some indexes of the dimension `cut`, one of each before it, and all behind it.
    let rank = slices.len();
    let cut = (0..rank)
        .find(|d| bytes(&slices[d + 1..]) <= wanted)
        .unwrap_or(rank - 1);
    let most = (wanted / bytes(&slices[cut + 1..]).max(1)).max(1);
    // About as many each, so that none comes for the last one alone.
    let several = slices[cut]
        .count
        .div_ceil(slices[cut].count.div_ceil(most).max(1));
    let mut parts = vec![slices.to_vec()];
    for d in 0..=cut {
        let several = if d == cut { several } else { 1 };
        parts = parts
            .into_iter()
            .flat_map(|part| {
                let whole = part[d];
                (0..whole.count)
                    .step_by(usize::try_from(several).unwrap_or(usize::MAX))
                    .map(move |at| {
                        let mut one = part.clone();
                        one[d] = whole.within(Slice {
                            first: at,
                            step: 1,
                            count: several.min(whole.count - at),
                        });
                        one
                    })
            })
            .collect();
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::super::slice::element_count;
    use super::*;

    #[test]
    fn pieces_are_the_box() {
        let slice = |first, step, count| Slice { first, step, count };
        let whole = [slice(1, 1, 7), slice(2, 3, 1000), slice(3, 1, 1000)];
        for size in [1, 4, 8, 64, 4000] {
            let parts = pieces(&whole, size).unwrap();
            let counts = parts.iter().map(|part| element_count(part).unwrap());
            assert_eq!(counts.clone().sum::<u64>(), 7_000_000, "{size}");
            let longest = counts.max().unwrap() * size;
            assert!(longest <= LARGEST_REQUEST, "{size}: {longest}");
            assert!(parts.len() >= 4 || size == 1, "{size}");
            let mut at = 0;
            for part in &parts {
                let index = |d: usize| (part[d].first - whole[d].first) / whole[d].step;
                assert_eq!((index(0) * 1000 + index(1)) * 1000 + index(2), at);
                assert_eq!(part[1].step, 3);
                at += element_count(part).unwrap();
            }
        }
        assert_eq!(pieces(&[], 8).unwrap().len(), 1);
        assert!(pieces(&[Slice::whole(u64::MAX), Slice::whole(2)], 8).is_err());
    }
}
