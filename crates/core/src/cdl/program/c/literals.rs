//! Prints values as C literals.

use std::io::Write;

use crate::model::Type;
use crate::print::number::shortest::{push_double_constant, push_float_constant};

/// Appends a string literal. Bytes that are not printable ASCII become three octal digits, which every source character
/// set reads alike. `?` is escaped, since two of them may begin a trigraph.
pub fn push_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for &c in text {
        match c {
            b'"' | b'\\' | b'?' => out.extend_from_slice(&[b'\\', c]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b' '..=b'~' => out.push(c),
            _ => {
                let _ = write!(out, "\\{c:03o}");
            }
        }
    }
    out.push(b'"');
}

/// Appends a number of an atomic type, or a `Char`, from its little-endian bytes.
///
/// # Panics
/// For `String` and user types, and if `bytes` is shorter than the type.
pub fn push_number(out: &mut Vec<u8>, ty: Type, bytes: &[u8]) {
    fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        let mut out = [0; N];
        out.copy_from_slice(&bytes[..N]);
        out
    }
    let _ = match ty {
        Type::Byte => write!(out, "{}", bytes[0] as i8),
        Type::Char | Type::UByte => write!(out, "{}", bytes[0]),
        Type::Short => write!(out, "{}", i16::from_le_bytes(array(bytes))),
        Type::UShort => write!(out, "{}", u16::from_le_bytes(array(bytes))),
        // The minimum has no literal: C reads -2147483648 as minus 2147483648, which does not fit.
        Type::Int => match i32::from_le_bytes(array(bytes)) {
            i32::MIN => write!(out, "(-2147483647 - 1)"),
            value => write!(out, "{value}"),
        },
        Type::UInt => write!(out, "{}U", u32::from_le_bytes(array(bytes))),
        Type::Int64 => match i64::from_le_bytes(array(bytes)) {
            i64::MIN => write!(out, "(-9223372036854775807LL - 1)"),
            value => write!(out, "{value}LL"),
        },
        Type::UInt64 => write!(out, "{}ULL", u64::from_le_bytes(array(bytes))),
        Type::Float => {
            let value = f32::from_le_bytes(array(bytes));
            match not_finite(value.into()) {
                Some(name) => out.extend_from_slice(name),
                None => {
                    push_float_constant(out, value);
                    out.push(b'f');
                }
            }
            Ok(())
        }
        Type::Double => {
            let value = f64::from_le_bytes(array(bytes));
            match not_finite(value) {
                Some(name) => out.extend_from_slice(name),
                None => push_double_constant(out, value),
            }
            Ok(())
        }
        Type::String | Type::User(_) => unreachable!("not a number"),
    };
}

/// The macro of `math.h` for NaN or an infinity; `None` for a finite number.
fn not_finite(value: f64) -> Option<&'static [u8]> {
    match value {
        v if v.is_finite() => None,
        v if v.is_nan() => Some(b"NAN"),
        v if v > 0.0 => Some(b"INFINITY"),
        _ => Some(b"-INFINITY"),
    }
}

/// A C string literal.
pub(super) fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    push_string(&mut out, text.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_c() {
        let number = |ty, bytes: &[u8]| {
            let mut out = Vec::new();
            push_number(&mut out, ty, bytes);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(number(Type::Int, &i32::MIN.to_le_bytes()), "(-2147483647 - 1)");
        assert_eq!(number(Type::Float, &1e-7f32.to_le_bytes()), "1e-7f");
        assert_eq!(number(Type::Float, &f32::NEG_INFINITY.to_le_bytes()), "-INFINITY");
        assert_eq!(number(Type::Double, &(-0.0f64).to_le_bytes()), "-0.0");
        assert_eq!(number(Type::UInt64, &[255; 8]), "18446744073709551615ULL");
        assert_eq!(number(Type::Byte, &[0x80]), "-128");
        let mut out = Vec::new();
        push_string(&mut out, b"a\"?\\\n\0\xc3");
        assert_eq!(out, br#""a\"\?\\\n\000\303""#);
    }
}
