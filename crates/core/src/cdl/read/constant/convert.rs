//! Converts constants to numbers of a type, by the rules of netCDF's ncgen.
//!
//! | constant | becomes |
//! | --- | --- |
//! | an integer, in an integer type | itself, bit for bit if it fits as signed or unsigned, else an error |
//! | a decimal, in an integer type | truncated towards zero; an error if that does not fit |
//! | a number, in `float` or `double` | the nearest value |
//! | a character | its code |
//! | opaque | its bytes, least significant first; padded with zeros or cut to size |
//! | a string | the number at its beginning |

use crate::model::Type;

use super::escapes::unescape_string;
use super::integer::fits;
use super::lexer::{Constant, special};
use super::number::binary64;

/// Stores `constant` in `out` as a number of the atomic type `ty`. `out` has the size of the type.
///
/// # Errors
/// The message for a constant that cannot be converted.
pub fn store(constant: &Constant, ty: Type, out: &mut [u8]) -> Result<(), String> {
    let name = ty.cdl_name().unwrap_or_default();
    match *constant {
        Constant::Integer(integer) => match ty {
            Type::Float => {
                let value = integer.value as f32;
                let value = if integer.negative { -value.abs() } else { value };
                out.copy_from_slice(&value.to_le_bytes());
            }
            Type::Double => {
                let value = integer.value as f64;
                let value = if integer.negative { -value.abs() } else { value };
                out.copy_from_slice(&value.to_le_bytes());
            }
            _ => {
                if !fits(integer.value, 8 * out.len() as u32) {
                    return Err(format!("{} does not fit in {name}", integer.value));
                }
                put(integer.value, out);
            }
        },
        Constant::Character(byte) => match ty {
            Type::Float => out.copy_from_slice(&f32::from(byte).to_le_bytes()),
            Type::Double => out.copy_from_slice(&f64::from(byte).to_le_bytes()),
            _ => put(byte.into(), out),
        },
        Constant::Real { spelled, single } => match ty {
            Type::Float => out.copy_from_slice(&spelled.parse().unwrap_or(f32::NAN).to_le_bytes()),
            _ => {
                let value = if single {
                    spelled.parse::<f32>().map_or(f64::NAN, f64::from)
                } else {
                    binary64(spelled).unwrap_or(f64::NAN)
                };
                real(value, ty, out).map_err(|_| format!("{spelled} does not fit in {name}"))?;
            }
        },
        Constant::Value { value, .. } => real(value, ty, out)?,
        Constant::Name(word) => match special(word) {
            Some(constant) => store(&constant, ty, out)?,
            None => {
                return Err(format!(
                    "expected a value of type {name}, and '{}' is a name",
                    String::from_utf8_lossy(word)
                ));
            }
        },
        Constant::Opaque(digits) => opaque(digits, out),
        Constant::String(spelled) => {
            let mut string = Vec::new();
            unescape_string(spelled, &mut string);
            leading(&string, ty, out).ok_or_else(|| {
                format!("expected a value of type {name}, and this string does not begin with one")
            })?;
        }
        Constant::Fill | Constant::Nil => {
            return Err(format!(
                "expected a value of type {name}, and this is {}",
                constant.kind()
            ));
        }
    }
    Ok(())
}

/// Stores the low bytes of an integer.
fn put(value: i128, out: &mut [u8]) {
    let bytes = value.to_le_bytes();
    let length = out.len();
    out.copy_from_slice(&bytes[..length]);
}

fn real(value: f64, ty: Type, out: &mut [u8]) -> Result<(), String> {
    match ty {
        Type::Float => out.copy_from_slice(&(value as f32).to_le_bytes()),
        Type::Double => out.copy_from_slice(&value.to_le_bytes()),
        _ => {
            // Above 2^100, the conversion saturates at a value that fits no type either.
            let whole = value.trunc() as i128;
            if value.is_nan() || !fits(whole, 8 * out.len() as u32) {
                let name = ty.cdl_name().unwrap_or_default();
                return Err(format!("{value} does not fit in {name}"));
            }
            put(whole, out);
        }
    }
    Ok(())
}

/// Stores hexadecimal digits as bytes. `out` is padded with zeros. An odd number of digits gets a 0 at its end.
pub fn opaque(digits: &[u8], out: &mut [u8]) {
    let nibble = |at: usize| {
        digits
            .get(at)
            .and_then(|d| char::from(*d).to_digit(16))
            .unwrap_or(0) as u8
    };
    for (n, byte) in out.iter_mut().enumerate() {
        *byte = nibble(2 * n) << 4 | nibble(2 * n + 1);
    }
}

/// Stores the number at the beginning of `string`; `None` if there is none, or it does not fit.
fn leading(string: &[u8], ty: Type, out: &mut [u8]) -> Option<()> {
    let string = std::str::from_utf8(string).ok()?.trim_start();
    let sign = usize::from(string.starts_with(['-', '+']));
    if matches!(ty, Type::Float | Type::Double) {
        let spelled = string.trim_end();
        if let Some(constant) = special(spelled.as_bytes()) {
            return store(&constant, ty, out).ok();
        }
        let end = string
            .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
            .unwrap_or(string.len());
        let spelled = (1..=end.min(64))
            .rev()
            .map(|end| &string[..end])
            .find(|s| s.parse::<f64>().is_ok())?;
        let constant = Constant::Real {
            spelled,
            single: false,
        };
        return store(&constant, ty, out).ok();
    }
    let end = string[sign..]
        .find(|c: char| !c.is_ascii_digit())
        .map_or(string.len(), |n| n + sign);
    let value: i128 = string[..end].parse().ok()?;
    fits(value, 8 * out.len() as u32).then(|| put(value, out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdl::read::constant::lexer::Lexer;
    use crate::cdl::read::syntax::text::Text;
    use std::sync::Arc;

    fn stored(spelled: &str, ty: Type) -> Result<Vec<u8>, String> {
        let text = Text::new(Arc::new(spelled.as_bytes().to_vec()), "a.cdl").unwrap();
        let mut lexer = Lexer::new(&text, spelled.as_bytes(), 0);
        let constant = lexer.constant().map_err(|e| e.to_string())?;
        let mut out = vec![0; ty.atomic_size()];
        store(&constant, ty, &mut out).map(|()| out)
    }

    #[test]
    fn integers_are_taken_bit_for_bit() {
        for (spelled, ty, expected) in [
            ("255", Type::Byte, &[255][..]),
            ("255b", Type::Byte, &[255]),
            ("-1", Type::UByte, &[255]),
            ("-1b", Type::UShort, &[255, 255]),
            ("255b", Type::Short, &[255, 0]),
            ("65535s", Type::Int, &[255; 4]),
            ("40000", Type::Short, &[0x40, 0x9c]),
            ("3000000000", Type::Int, &[0, 0x5e, 0xd0, 0xb2]),
            ("-1", Type::UInt64, &[255; 8]),
            ("0xabcdS", Type::Short, &[0xcd, 0xab]),
            ("0xabcd", Type::Short, &[0xab, 0xcd]),
            ("0xabc", Type::Int, &[0xab, 0xc0, 0, 0]),
            ("0x010203", Type::Short, &[1, 2]),
            ("'a'", Type::Int, &[97, 0, 0, 0]),
            ("1.9", Type::Byte, &[1]),
            ("-1.9", Type::Byte, &[255]),
            ("\"12ab\"", Type::Byte, &[12]),
            ("\" -1.5\"", Type::Short, &[255, 255]),
        ] {
            assert_eq!(stored(spelled, ty).as_deref(), Ok(expected), "{spelled} {ty:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for (spelled, ty) in [
            ("256", Type::Byte),
            ("-129", Type::UByte),
            ("-40000", Type::Short),
            ("65536", Type::UShort),
            ("5000000000", Type::Int),
            ("1e10", Type::Int),
            ("NaN", Type::Int),
            ("Infinity", Type::Int64),
            ("1e30", Type::UInt64),
            ("\"abc\"", Type::Int),
            ("\"\"", Type::Double),
            ("NIL", Type::Int),
            ("_", Type::Int),
            ("foo", Type::Double),
        ] {
            assert!(stored(spelled, ty).is_err(), "{spelled} {ty:?}");
        }
    }

    #[test]
    fn floats_are_the_nearest() {
        let float = |spelled| f32::from_le_bytes(stored(spelled, Type::Float).unwrap().try_into().unwrap());
        let double = |spelled| f64::from_le_bytes(stored(spelled, Type::Double).unwrap().try_into().unwrap());
        assert_eq!(float("16777217.00000001").to_bits(), 16_777_218f32.to_bits());
        assert_eq!(float("0.1f"), 0.1);
        assert_eq!(double("0.1f"), f64::from(0.1f32));
        assert_eq!(double("0.1d"), 0.1);
        assert_eq!(double("\"1.5e1x\""), 15.0);
        assert!(double("\"nan\"").is_nan());
        assert_eq!(double("-0").to_bits(), (-0.0f64).to_bits());
        assert_eq!(float("-0").to_bits(), (-0.0f32).to_bits());
        assert_eq!(float("-0.0").to_bits(), (-0.0f32).to_bits());
        assert!(double("1e400").is_infinite());
        assert!(float("NaNf").is_nan());
        assert_eq!(float("-Infinity"), f32::NEG_INFINITY);
        assert_eq!(double("18446744073709551615"), 18_446_744_073_709_551_615.0);
    }
}
