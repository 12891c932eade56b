//! The shape of an array: its limits and its size.

/// Highest number of dimensions: HDF5's limit. (netCDF itself allows 1024.)
pub const MAX_RANK: usize = 32;

/// Number of elements in an array of this shape: 1 for a scalar, whose shape is empty. `None` on overflow.
pub fn element_count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d))
}

/// Size in bytes of an array of this shape in memory. `None` if no buffer can be that large.
pub fn byte_count(shape: &[u64], element_size: usize) -> Option<usize> {
    element_count(shape)?
        .checked_mul(u64::try_from(element_size).ok()?)
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| isize::try_from(*n).is_ok())
}

/// The greatest common divisor of two numbers. That of 0 and `n` is `n`.
pub fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
