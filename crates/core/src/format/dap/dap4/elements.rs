//! The elements of one variable in an answer of DAP4.

use super::chunks::Data;
use super::structure::swap_numbers;
use crate::error::{Error, Result};
use crate::model::{Schema, Type, Values};

/// The elements of the only variable of an answer: `count` of the type `ty`, which is atomic or a compound. A checksum behind them is compared.
///
/// # Errors
/// Data that ends too early or goes on, a wrong checksum.
pub fn elements(data: Data, schema: &Schema, ty: Type, count: u64) -> Result<Values> {
    let Data { mut bytes, is_little } = data;
    let (values, length) = match ty {
        Type::String => strings(&bytes, is_little, count)?,
        _ => {
            let size = schema.type_size(ty);
            let length = usize::try_from(count)
                .ok()
                .and_then(|count| count.checked_mul(size));
            let length = length
                .filter(|length| *length <= bytes.len())
                .ok_or_else(too_short)?;
            check(&bytes, length, is_little)?;
            bytes.truncate(length);
            if !is_little {
                swap_numbers(schema, ty, &mut bytes);
            }
            return Ok(Values::from_bytes(bytes));
        }
    };
    check(&bytes, length, is_little)?;
    Ok(values)
}

/// Strings, each behind its length of 8 bytes; and where they end.
fn strings(bytes: &[u8], is_little: bool, count: u64) -> Result<(Values, usize)> {
    let mut values = Values::default();
    let mut rest = bytes;
    for _ in 0..count {
        let (length, behind) = rest.split_first_chunk::<8>().ok_or_else(too_short)?;
        let length = match is_little {
            true => u64::from_le_bytes(*length),
            false => u64::from_be_bytes(*length),
        };
        let length = usize::try_from(length).ok();
        let (text, behind) = length
            .and_then(|length| behind.split_at_checked(length))
            .ok_or_else(too_short)?;
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        values.push_string(Some(text));
        rest = behind;
    }
    Ok((values, bytes.len() - rest.len()))
}

/// Compares the checksum that may stand behind `length` bytes of data.
fn check(bytes: &[u8], length: usize, is_little: bool) -> Result<()> {
    let (data, behind) = bytes.split_at(length);
    let told = match behind {
        [] => return Ok(()),
        [a, b, c, d] if is_little => u32::from_le_bytes([*a, *b, *c, *d]),
        [a, b, c, d] => u32::from_be_bytes([*a, *b, *c, *d]),
        _ => {
            return Err(Error::Damaged(format!(
                "the server's answer has {} bytes behind the data that was asked for",
                behind.len()
            )));
        }
    };
    match libdeflater::crc32(data) == told {
        true => Ok(()),
        false => Err(Error::Damaged(
            "the checksum of the server's data is wrong".to_owned(),
        )),
    }
}

fn too_short() -> Error {
    Error::Truncated("the server's answer ends before its data".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    fn of(bytes: &[u8], is_little: bool, ty: Type, count: u64) -> Result<Values> {
        let bytes = bytes.to_vec();
        let schema = Schema::new(Kind::Netcdf4);
        elements(Data { bytes, is_little }, &schema, ty, count)
    }

    #[test]
    fn checksums_are_compared() {
        let sum = libdeflater::crc32(&[1, 0, 2, 0]);
        let with = |sum: [u8; 4]| [&[1, 0, 2, 0][..], &sum].concat();
        assert_eq!(
            of(&with(sum.to_le_bytes()), true, Type::Short, 2).unwrap().bytes,
            [1, 0, 2, 0]
        );
        assert_eq!(
            of(&with(sum.to_be_bytes()), false, Type::Short, 2).unwrap().bytes,
            [0, 1, 0, 2]
        );
        assert_eq!(of(&[1, 0, 2, 0], true, Type::Short, 2).unwrap().bytes.len(), 4);
        assert!(
            of(&with([0; 4]), true, Type::Short, 2)
                .unwrap_err()
                .to_string()
                .contains("checksum")
        );
        assert!(of(&[0; 6], true, Type::Short, 2).is_err());
        assert!(of(&[0; 3], true, Type::Short, 2).is_err());
        assert!(of(&[0; 3], true, Type::Double, u64::MAX).is_err());
    }

    #[test]
    fn strings_have_lengths() {
        let text = [&3u64.to_le_bytes()[..], b"abc", &0u64.to_le_bytes()].concat();
        let found = of(&text, true, Type::String, 2).unwrap();
        assert_eq!(
            (found.string(0), found.string(16)),
            (Some(&b"abc"[..]), Some(&b""[..]))
        );
        for wrong in [&text[..text.len() - 1], &u64::MAX.to_le_bytes()[..]] {
            assert!(of(wrong, true, Type::String, 2).is_err());
        }
        assert!(of(&[], true, Type::String, u64::MAX).is_err());
    }
}
