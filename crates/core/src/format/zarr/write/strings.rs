//! Strings as text of a fixed size, with zeros at its end.

use crate::error::{Error, Result};
use crate::model::{SLOT_SIZE, Values};

/// The strings of `values`, each in `size` bytes.
///
/// # Errors
/// If a string is longer than that; the error names its position and its length.
pub fn fixed(values: &Values, size: usize) -> Result<Vec<u8>> {
    let count = values.bytes.len() / SLOT_SIZE;
    let total = count.checked_mul(size);
    let total = total.ok_or_else(|| Error::Unsupported("a chunk larger than memory".into()))?;
    let mut out = Vec::new();
    crate::chunk::resize(&mut out, total)?;
    for (n, element) in out.chunks_exact_mut(size.max(1)).enumerate() {
        let text = values.string(n * SLOT_SIZE).unwrap_or_default();
        let Some(place) = element.get_mut(..text.len()) else {
            return Err(Error::Internal(format!(
                "a string of {} bytes where each has {size}",
                text.len()
            )));
        };
        place.copy_from_slice(text);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_with_zeros() {
        let values = Values::from_strings([Some(&b"ab"[..]), None, Some(&b"abcd"[..])]);
        assert_eq!(fixed(&values, 4).unwrap(), b"ab\0\0\0\0\0\0abcd");
        assert!(fixed(&values, 3).is_err());
    }
}
