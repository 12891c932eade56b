//! Strings as bytes: text of a fixed size with zeros at its end, or text of any length.
//!
//! The codec `vlen-utf8` of zarr-extensions: the number of strings, then each with its length before it. All numbers are
//! little-endian and have 32 bits.

use crate::error::{Error, Result};
use crate::model::{SLOT_SIZE, Slot, Values};

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

/// The strings of `values`, each with its length.
///
/// # Errors
/// If a string is not UTF-8, or numbers do not fit into 32 bits.
pub fn vlen_utf8(values: &Values) -> Result<Vec<u8>> {
    vlen(values, 1, |text| match std::str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::Unsupported(format!(
            "in version 3 of Zarr, the string {:?}, which is not UTF-8,",
            String::from_utf8_lossy(text)
        ))),
    })
}

/// The lists of `values`, of elements of `size` bytes, each with its length in bytes.
///
/// # Errors
/// If numbers do not fit into 32 bits.
pub fn vlen_bytes(values: &Values, size: usize) -> Result<Vec<u8>> {
    vlen(values, size, |_| Ok(()))
}

/// The contents of `values`, of elements of `size` bytes, each with its length in bytes, if `check` passes all of them.
fn vlen(values: &Values, size: usize, check: impl Fn(&[u8]) -> Result<()>) -> Result<Vec<u8>> {
    let too_many = || Error::Unsupported("strings of 4 GiB in one chunk: choose smaller chunks".into());
    let number = |length: usize| Ok::<_, Error>(u32::try_from(length).map_err(|_| too_many())?.to_le_bytes());
    let mut out = number(values.bytes.len() / SLOT_SIZE)?.to_vec();
    for slot in values.bytes.chunks_exact(SLOT_SIZE) {
        let content = values.slot_content(Slot::read(slot), size).unwrap_or_default();
        check(content)?;
        out.try_reserve(content.len() + 4).map_err(|_| too_many())?;
        out.extend(number(content.len())?);
        out.extend_from_slice(content);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_any_length_follow_their_lengths() {
        let values = Values::from_strings([Some("ä".as_bytes()), None, Some(b"abc")]);
        let expected = b"\x03\0\0\0\x02\0\0\0\xc3\xa4\0\0\0\0\x03\0\0\0abc";
        assert_eq!(vlen_utf8(&values).unwrap(), expected);
        let latin = Values::from_strings([Some(&b"\xe4"[..])]);
        assert!(vlen_utf8(&latin).unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn strings_end_with_zeros() {
        let values = Values::from_strings([Some(&b"ab"[..]), None, Some(&b"abcd"[..])]);
        assert_eq!(fixed(&values, 4).unwrap(), b"ab\0\0\0\0\0\0abcd");
        assert!(fixed(&values, 3).is_err());
    }
}
