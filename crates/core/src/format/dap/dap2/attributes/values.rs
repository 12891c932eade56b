//! Values of attributes: text of a DAS as numbers and text of netCDF.

use super::super::dds::Atom;
use super::super::names::legal;
use super::das::TextAttribute;
use crate::model::{Attribute, Type, Values};

/// The type of netCDF's classic model that a type of DAP2 is shown as. Unsigned numbers keep their bits.
pub fn classic_type(atom: Atom) -> Type {
    match atom {
        Atom::Byte => Type::Byte,
        Atom::Int16 | Atom::UInt16 => Type::Short,
        Atom::Int32 | Atom::UInt32 => Type::Int,
        Atom::Float32 => Type::Float,
        Atom::Float64 => Type::Double,
        Atom::String | Atom::Url => Type::Char,
    }
}

/// An attribute of netCDF. `variable` is the type of its variable: a fill value has it, whatever the server says.
///
/// # Errors
/// A value that is no number of its type, as one line.
pub fn attribute(described: &TextAttribute, variable: Option<Atom>) -> Result<Attribute, String> {
    let name = legal(&described.name);
    let atom = match variable {
        Some(atom) if name == "_FillValue" && !atom.is_text() && !described.atom.is_text() => atom,
        _ => described.atom,
    };
    let (bytes, length) = match atom.is_text() {
        true => {
            let text = unescaped(&described.values.join("\n"));
            let length = text.len();
            (text, length)
        }
        false => {
            let mut bytes = Vec::new();
            for value in &described.values {
                number(atom, value.trim(), &mut bytes)
                    .ok_or_else(|| format!("'{}' is no {atom:?}", value.escape_debug()))?;
            }
            (bytes, described.values.len())
        }
    };
    Ok(Attribute {
        name,
        ty: classic_type(atom),
        length,
        values: Values::from_bytes(bytes),
    })
}

/// Adds the bytes of a number. `None` for text that is none.
fn number(atom: Atom, text: &str, bytes: &mut Vec<u8>) -> Option<()> {
    match atom {
        Atom::Float32 => bytes.extend_from_slice(&text.parse::<f32>().ok()?.to_le_bytes()),
        Atom::Float64 => bytes.extend_from_slice(&text.parse::<f64>().ok()?.to_le_bytes()),
        Atom::Byte | Atom::Int16 | Atom::UInt16 | Atom::Int32 | Atom::UInt32 => {
            let whole = match text.parse::<i64>() {
                Ok(whole) => whole,
                Err(_) => {
                    let float: f64 = text.parse().ok()?;
                    (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64)?
                }
            };
            let (size, least, most) = match atom {
                Atom::Byte => (1, -128, 255),
                Atom::Int16 | Atom::UInt16 => (2, i64::from(i16::MIN), i64::from(u16::MAX)),
                _ => (4, i64::from(i32::MIN), i64::from(u32::MAX)),
            };
            if whole < least || whole > most {
                return None;
            }
            bytes.extend_from_slice(&whole.to_le_bytes()[..size]);
        }
        Atom::String | Atom::Url => return None,
    }
    Some(())
}

/// A text without its escapes, which are those of C.
fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        let (b'\\', Some((escape, after))) = (*byte, behind.split_first()) else {
            out.push(*byte);
            continue;
        };
        rest = after;
        out.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'x' => digits(&mut rest, 2, 16).unwrap_or(b'x'),
            b'0'..=b'7' => {
                rest = behind;
                match digits(&mut rest, 3, 8) {
                    Some(byte) => byte,
                    None => {
                        rest = after;
                        *escape
                    }
                }
            }
            other => *other,
        });
    }
    out
}

/// Takes as many digits; `None` if there are fewer, or they are more than a byte.
fn digits(rest: &mut &[u8], count: usize, radix: u32) -> Option<u8> {
    let (front, behind) = rest.split_at_checked(count)?;
    let text = std::str::from_utf8(front)
        .ok()
        .filter(|text| !text.starts_with('+'))?;
    let byte = u8::from_str_radix(text, radix).ok()?;
    *rest = behind;
    Some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(atom: Atom, values: &[&str], variable: Option<Atom>) -> Result<Attribute, String> {
        let described = TextAttribute {
            name: "_FillValue".to_owned(),
            atom,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        attribute(&described, variable)
    }

    #[test]
    fn values_have_the_type_of_the_server() {
        let short = of(Atom::UInt16, &["65535", "3"], None).unwrap();
        assert_eq!(
            (short.ty, short.length, short.values.bytes),
            (Type::Short, 2, vec![255, 255, 3, 0])
        );
        let fill = of(Atom::Int32, &["-1"], Some(Atom::Byte)).unwrap();
        assert_eq!((fill.ty, fill.values.bytes), (Type::Byte, vec![255]));
        let float = of(Atom::Float32, &["nan"], None).unwrap();
        assert!(f32::from_le_bytes(float.values.bytes.try_into().unwrap()).is_nan());
        let text = of(Atom::String, &[r"a\n\x41\101\q\", "b"], None).unwrap();
        assert_eq!(text.values.bytes, b"a\nAAq\nb");
        for (atom, wrong) in [
            (Atom::Byte, "256"),
            (Atom::Int32, "x"),
            (Atom::Int16, "1.5"),
            (Atom::Float64, ""),
        ] {
            assert!(of(atom, &[wrong], None).is_err(), "{wrong}");
        }
    }
}
