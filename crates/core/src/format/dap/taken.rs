//! Takes a box out of elements that are in memory.

use super::slice::Slice;
use crate::chunk::{Axis, byte_count, copy_strided};
use crate::error::{Error, Result};

/// The elements of a box. `all` are those of an array with these `lengths`, in C order, each of `size` bytes.
///
/// # Errors
/// A box that is larger than memory, or outside the array.
pub fn taken(all: &[u8], lengths: &[u64], slices: &[Slice], size: usize) -> Result<Vec<u8>> {
    let counts: Vec<u64> = slices.iter().map(|slice| slice.count).collect();
    let large = || Error::Unsupported("a region larger than memory".to_owned());
    let mut out = vec![0; byte_count(&counts, size).ok_or_else(large)?];
    let (mut at, mut src, mut dst) = (0usize, size, size);
    let mut axes = Vec::with_capacity(slices.len());
    for (slice, length) in slices.iter().zip(lengths).rev() {
        if slice.count > 0 && !slice.fits(*length) {
            return Err(Error::Damaged("a region outside its variable".to_owned()));
        }
        at = at.saturating_add((slice.first as usize).saturating_mul(src));
        axes.push(Axis {
            count: slice.count as usize,
            src: src.saturating_mul(slice.step as usize),
            dst,
        });
        (src, dst) = (
            src.saturating_mul(*length as usize),
            dst.saturating_mul(slice.count as usize),
        );
    }
    axes.reverse();
    copy_strided(all, at, &mut out, 0, &mut axes, size, 1)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_taken() {
        let all: Vec<u8> = (0..24).collect();
        let slice = |first, step, count| Slice { first, step, count };
        let of = |a, b| taken(&all, &[4, 3], &[a, b], 2);
        assert_eq!(
            of(slice(1, 2, 2), slice(0, 2, 2)).unwrap(),
            [6, 7, 10, 11, 18, 19, 22, 23]
        );
        assert_eq!(of(slice(0, 1, 4), slice(0, 1, 3)).unwrap(), all);
        assert!(of(slice(1, 2, 0), slice(0, 2, 2)).unwrap().is_empty());
        assert!(of(slice(1, 2, 3), slice(0, 2, 2)).is_err());
        assert_eq!(taken(&all, &[], &[], 24).unwrap(), all);
    }
}
