//! Cuts a region into the regions of requests.

use super::limits::{LARGEST_REQUEST, SPLIT_FROM};
use crate::chunk::Region;
use crate::error::{Error, Result};

/// Pieces into which a long region is cut at least, so that several requests are under way.
const AT_ONCE: u64 = 4;

/// Most pieces of one region, of at least 2 MiB each.
const MOST_PIECES: u64 = 1 << 15;

/// The parts of a region, each of about as many bytes as one request asks for. One after another they are the region in C order.
/// `size` is the bytes of an element as it is sent.
///
/// # Errors
/// If there would be too many.
pub fn pieces(region: &Region, size: u64) -> Result<Vec<Region>> {
    let bytes = |counts: &[u64]| {
        counts
            .iter()
            .fold(size, |bytes, count| bytes.saturating_mul(*count))
    };
    let all = bytes(&region.count);
    if all <= SPLIT_FROM || region.is_empty() {
        return Ok(vec![region.clone()]);
    }
    if all / SPLIT_FROM > MOST_PIECES {
        return Err(Error::Unsupported("a region larger than memory".to_owned()));
    }
    let wanted = (all / AT_ONCE).clamp(SPLIT_FROM / 2, LARGEST_REQUEST);
    // The dimension of which some indexes make a request; the ones before it are walked.
    let rank = region.rank();
    let cut = (0..rank)
        .find(|d| bytes(&region.count[d + 1..]) <= wanted)
        .unwrap_or(rank - 1);
    let step = (wanted / bytes(&region.count[cut + 1..]).max(1)).max(1);
    let mut parts = vec![region.clone()];
    for d in 0..=cut {
        let step = if d == cut { step } else { 1 };
        parts = parts
            .into_iter()
            .flat_map(|part| {
                let (start, count) = (part.start[d], part.count[d]);
                (0..count)
                    .step_by(usize::try_from(step).unwrap_or(usize::MAX))
                    .map(move |at| {
                        let mut one = part.clone();
                        (one.start[d], one.count[d]) = (start + at, step.min(count - at));
                        one
                    })
            })
            .collect();
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_region() {
        let whole = Region::new(&[1, 2, 3], &[7, 1000, 1000]);
        for size in [1, 4, 8, 64, 4000] {
            let parts = pieces(&whole, size).unwrap();
            let bytes: u64 = parts.iter().map(|part| part.element_count().unwrap()).sum();
            assert_eq!(bytes, 7_000_000, "{size}");
            let longest = parts
                .iter()
                .map(|part| part.element_count().unwrap() * size)
                .max()
                .unwrap();
            assert!(longest <= LARGEST_REQUEST, "{size}: {longest}");
            assert!(parts.len() >= 4 || size == 1, "{size}");
            let mut at = 0;
            for part in &parts {
                let relative = part.relative_to(&whole.start).start;
                assert_eq!((relative[0] * 1000 + relative[1]) * 1000 + relative[2], at);
                at += part.element_count().unwrap();
            }
        }
        assert_eq!(pieces(&Region::whole(&[]), 8).unwrap().len(), 1);
        assert_eq!(pieces(&Region::whole(&[0, 5]), 8).unwrap().len(), 1);
        assert!(pieces(&Region::whole(&[u64::MAX, 2]), 8).is_err());
    }
}
