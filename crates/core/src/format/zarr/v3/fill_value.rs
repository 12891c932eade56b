//! The member `fill_value` of an array.
//!
//! | data type | written | read besides |
//! | --- | --- | --- |
//! | integers | `-1` | `-1.0`, `"-1"` |
//! | floats | `1.5`, `"NaN"`, `"Infinity"`, `"-Infinity"`, `"0x7fc00001"` | `"1.5"`, bare tokens |
//! | bool | `true` | `1` |
//! | complex | `[1.0,"NaN"]` | |
//! | `null_terminated_bytes`, `raw_bytes`, bytes of any length | base64 | `[65,66]` |
//! | text | raw | |
//! | `numpy.datetime64`, `numpy.timedelta64` | | integers, `"NaT"` |
//! | `struct` | `{"a":1,"b":0.0}` | base64 of the bytes |
//!
//! Zarr version 3.1, "Fill value", and the registry zarr-extensions.

use super::super::half::{half_to_float, rounded_to_half};
use super::super::json::Json;
use super::super::number::{numbers, push_number};
use super::data_type::DataType;
use crate::model::{Type, Values};
use crate::store::base64;

/// Reads a fill value as one element of the netCDF type. That of a structure has no padding.
///
/// # Errors
/// A value that does not fit the data type, as a clause: "has the fill_value 300, which is none of uint8".
pub fn read(json: &Json, ty: &DataType) -> Result<Values, String> {
    let wrong = || {
        format!(
            "has the fill_value {}, which is none of {}",
            json.shown(),
            ty.name()
        )
    };
    match ty {
        DataType::String | DataType::Text(_) | DataType::Wide(_) | DataType::Bytes => {
            let content = match ty {
                DataType::String | DataType::Wide(_) => json.as_str().map(|text| text.as_bytes().to_vec()),
                _ => bytes(json),
            };
            let mut content = content.ok_or_else(wrong)?;
            let most = match ty {
                DataType::Text(n) => *n,
                DataType::Wide(n) => n.saturating_mul(4),
                _ => usize::MAX,
            };
            if *ty == DataType::Bytes {
                let mut values = Values::default();
                let slot = values.push_heap(content.len() as u64, &content);
                values.bytes = slot.to_bytes().to_vec();
                return Ok(values);
            }
            let end = content.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1);
            content.truncate(end);
            // Text of a fixed size that is empty is NIL, as netCDF-C reads it.
            let is_text = *ty == DataType::String || !content.is_empty();
            match content.len() <= most {
                true => Ok(Values::from_strings([is_text.then_some(&content[..])])),
                false => Err(wrong()),
            }
        }
        _ => {
            let mut out = Vec::new();
            match push(&mut out, json, ty) {
                true => Ok(Values::from_bytes(out)),
                false => Err(wrong()),
            }
        }
    }
}

/// Appends an element of fixed size. Returns false if the value does not fit.
fn push(out: &mut Vec<u8>, json: &Json, ty: &DataType) -> bool {
    match ty {
        DataType::Number(Type::Float) => push_float(out, json, 4),
        DataType::Number(Type::Double) => push_float(out, json, 8),
        DataType::Number(ty) => !matches!(json, Json::Bool(_)) && push_number(out, json, *ty),
        DataType::Bool => {
            let value = json.as_bool().map(u64::from).or_else(|| json.as_u64());
            value
                .filter(|value| *value <= 1)
                .map(|value| out.push(value as u8))
                .is_some()
        }
        DataType::Half | DataType::BFloat16 => push_short_float(out, json, ty),
        DataType::Char => match bytes(json) {
            Some(one) if one.len() <= 1 => {
                out.push(one.first().copied().unwrap_or(0));
                true
            }
            _ => false,
        },
        DataType::Text(size) | DataType::Raw(size) => match bytes(json) {
            // Text may be shorter, and is followed by NULs.
            Some(some) if some.len() == *size || some.len() < *size && matches!(ty, DataType::Text(_)) => {
                let end = out.len() + size;
                out.extend_from_slice(&some);
                out.resize(end, 0);
                true
            }
            _ => false,
        },
        DataType::Complex(part) => match json.as_array() {
            Some([re, im]) => {
                let size = part.atomic_size();
                push_float(out, re, size) && push_float(out, im, size)
            }
            _ => false,
        },
        DataType::Time(_) => match json.as_str() {
            Some("NaT") => {
                out.extend_from_slice(&i64::MIN.to_le_bytes());
                true
            }
            _ => push_number(out, json, Type::Int64),
        },
        DataType::Struct(fields) => match json {
            Json::Object(members) => {
                members.len() == fields.len()
                    && fields
                        .iter()
                        .all(|(name, ty)| json.get(name).is_some_and(|value| push(out, value, ty)))
            }
            _ => match bytes(json) {
                Some(all) if Some(all.len()) == ty.size() => {
                    out.extend_from_slice(&all);
                    true
                }
                _ => false,
            },
        },
        DataType::Wide(_) | DataType::String | DataType::Bytes => false,
    }
}

/// Appends a float of `size` bytes: a number, a word, or its bits in hexadecimal.
fn push_float(out: &mut Vec<u8>, json: &Json, size: usize) -> bool {
    if let Some(bits) = hexadecimal(json, size) {
        out.extend_from_slice(&bits.to_le_bytes()[..size]);
        return true;
    }
    let ty = if size == 4 { Type::Float } else { Type::Double };
    is_number(json) && push_number(out, json, ty)
}

/// True for a number, and for a text that may hold one in decimal digits or as a word.
fn is_number(json: &Json) -> bool {
    match json {
        Json::Bool(_) => false,
        Json::String(text) => !text.starts_with("0x"),
        _ => true,
    }
}

/// Appends, as a `float`, a number that a float of 16 bits has.
fn push_short_float(out: &mut Vec<u8>, json: &Json, ty: &DataType) -> bool {
    if let Some(bits) = hexadecimal(json, 2) {
        let float = match ty {
            DataType::Half => half_to_float(bits as u16),
            _ => f32::from_bits((bits as u32) << 16),
        };
        out.extend_from_slice(&float.to_le_bytes());
        return true;
    }
    let mut double = Vec::new();
    if !is_number(json) || !push_number(&mut double, json, Type::Double) {
        return false;
    }
    let value = f64::from_le_bytes(double.try_into().unwrap_or_default());
    let rounded = match ty {
        DataType::Half => rounded_to_half(value),
        _ => f64::from(rounded_to_bfloat16(value as f32)),
    };
    let fits = rounded.is_finite() || !value.is_finite();
    out.extend_from_slice(&(rounded as f32).to_le_bytes());
    fits
}

/// The nearest number that bfloat16 has, rounded half to even.
fn rounded_to_bfloat16(value: f32) -> f32 {
    if !value.is_finite() {
        return value;
    }
    let bits = value.to_bits();
    let half = 0x7fff + (bits >> 16 & 1);
    f32::from_bits(bits.wrapping_add(half) & 0xffff_0000)
}

/// The bits in a text such as `0x7fc00001`, which has two digits for each of `size` bytes.
fn hexadecimal(json: &Json, size: usize) -> Option<u64> {
    let digits = json.as_str()?.strip_prefix("0x")?;
    let plain = digits.len() == 2 * size && digits.bytes().all(|c| c.is_ascii_hexdigit());
    plain.then(|| u64::from_str_radix(digits, 16).ok())?
}

/// Bytes in base64, or as a list of numbers.
fn bytes(json: &Json) -> Option<Vec<u8>> {
    match json {
        Json::String(text) => base64::decode(text),
        Json::Array(list) => list
            .iter()
            .map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok()))
            .collect(),
        _ => None,
    }
}

/// The member for an element of the netCDF type. That of a structure has no padding. `ty` is a type that [`DataType::of`]
/// makes.
pub fn write(value: &Values, ty: &DataType) -> Json {
    match ty {
        DataType::String => {
            let text = value.string(0).unwrap_or_default();
            String::from_utf8_lossy(text).into_owned().into()
        }
        // Of one element, the heap has the bytes alone.
        DataType::Bytes => base64::encode(&value.heap).into(),
        _ => element(&value.bytes, ty),
    }
}

/// The member for the bytes of an element of fixed size.
fn element(bytes: &[u8], ty: &DataType) -> Json {
    match ty {
        DataType::Number(Type::Float) => float(bytes, 4),
        DataType::Number(Type::Double) => float(bytes, 8),
        DataType::Number(ty) => numbers(bytes, *ty).into_iter().next().unwrap_or(Json::Integer(0)),
        DataType::Char => {
            let text = bytes.first().filter(|byte| **byte != 0);
            base64::encode(text.map(std::slice::from_ref).unwrap_or_default()).into()
        }
        DataType::Text(_) => {
            let end = bytes.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1);
            base64::encode(&bytes[..end]).into()
        }
        DataType::Complex(part) => {
            let size = part.atomic_size();
            let (re, im) = bytes.split_at(size.min(bytes.len()));
            Json::Array(vec![float(re, size), float(im, size)])
        }
        DataType::Struct(fields) => {
            let mut rest = bytes;
            let field = |(name, ty): &(String, DataType)| {
                let size = ty.size().unwrap_or(0).min(rest.len());
                let (own, behind) = rest.split_at(size);
                rest = behind;
                (name.clone(), element(own, ty))
            };
            Json::Object(fields.iter().map(field).collect())
        }
        DataType::Bool => Json::Bool(bytes.first().is_some_and(|byte| *byte != 0)),
        // No element of the others is written.
        DataType::Raw(_)
        | DataType::Half
        | DataType::BFloat16
        | DataType::Wide(_)
        | DataType::String
        | DataType::Bytes
        | DataType::Time(_) => base64::encode(bytes).into(),
    }
}

/// A float: its shortest digits, a word, or the bits of a NaN that is not the usual one.
fn float(bytes: &[u8], size: usize) -> Json {
    const USUAL: [u64; 2] = [0x7fc0_0000, 0x7ff8_0000_0000_0000];
    let (ty, usual) = match size {
        4 => (Type::Float, USUAL[0]),
        _ => (Type::Double, USUAL[1]),
    };
    let Some(Json::Float(value)) = numbers(bytes, ty).pop() else {
        return Json::Float(0.0);
    };
    if value.is_finite() {
        return Json::Float(value);
    }
    let mut bits = [0; 8];
    bits[..size].copy_from_slice(&bytes[..size]);
    let bits = u64::from_le_bytes(bits);
    match value.is_nan() && bits != usual {
        true => format!("0x{bits:0width$x}", width = 2 * size).into(),
        false => Json::Float(value).to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    fn bytes_of(text: &str, ty: &DataType) -> Option<Vec<u8>> {
        read(&json(text), ty).ok().map(|values| values.bytes)
    }

    #[test]
    fn numbers_in_all_spellings() {
        let (int, float) = (DataType::Number(Type::Short), DataType::Number(Type::Float));
        for text in ["-3", "-3.0", "\"-3\""] {
            assert_eq!(
                bytes_of(text, &int),
                Some((-3i16).to_le_bytes().to_vec()),
                "{text}"
            );
        }
        for text in ["70000", "1.5", "true", "null", "\"x\"", "[1]"] {
            assert_eq!(bytes_of(text, &int), None, "{text}");
        }
        let hex = f32::from_bits(0x7fc0_0001).to_le_bytes().to_vec();
        assert_eq!(bytes_of("\"0x7fc00001\"", &float), Some(hex));
        assert_eq!(bytes_of("\"0x7fc0000\"", &float), None);
        assert_eq!(
            bytes_of("\"-Infinity\"", &float),
            Some(f32::NEG_INFINITY.to_le_bytes().to_vec())
        );
        assert_eq!(bytes_of("NaN", &float), Some(f32::NAN.to_le_bytes().to_vec()));
        assert_eq!(bytes_of("1", &float), Some(1f32.to_le_bytes().to_vec()));
        assert_eq!(bytes_of("1", &DataType::Bool), Some(vec![1]));
        assert_eq!(bytes_of("false", &DataType::Bool), Some(vec![0]));
        assert_eq!(bytes_of("2", &DataType::Bool), None);
        assert_eq!(
            bytes_of("\"0x3c00\"", &DataType::Half),
            Some(1f32.to_le_bytes().to_vec())
        );
        assert_eq!(
            bytes_of("0.1", &DataType::BFloat16),
            Some(0.100_097_656f32.to_le_bytes().to_vec())
        );
        assert_eq!(bytes_of("1e6", &DataType::Half), None);
    }

    #[test]
    fn bytes_and_text() {
        assert_eq!(bytes_of("\"QQ==\"", &DataType::Char), Some(vec![b'A']));
        assert_eq!(bytes_of("\"\"", &DataType::Char), Some(vec![0]));
        assert_eq!(bytes_of("[65]", &DataType::Char), Some(vec![b'A']));
        assert_eq!(bytes_of("\"AAE=\"", &DataType::Raw(2)), Some(vec![0, 1]));
        assert_eq!(bytes_of("[0, 1]", &DataType::Raw(2)), Some(vec![0, 1]));
        assert_eq!(bytes_of("\"AAE=\"", &DataType::Raw(3)), None);
        let text = |json_text: &str, ty: &DataType| {
            read(&json(json_text), ty).map(|values| values.string(0).map(<[u8]>::to_vec))
        };
        assert_eq!(text("\"YWI=\"", &DataType::Text(3)), Ok(Some(b"ab".to_vec())));
        assert_eq!(text("\"ab\"", &DataType::Wide(2)), Ok(Some(b"ab".to_vec())));
        assert_eq!(text("\"\"", &DataType::String), Ok(Some(Vec::new())));
        assert_eq!(text("\"\"", &DataType::Text(3)), Ok(None));
        assert!(text("0", &DataType::String).is_err());
    }

    #[test]
    fn structures() {
        let ty = DataType::Struct(vec![
            ("a".to_owned(), DataType::Number(Type::Short)),
            ("z".to_owned(), DataType::Complex(Type::Float)),
        ]);
        let text = r#"{"a":5,"z":[1.5,"NaN"]}"#;
        let values = read(&json(text), &ty).unwrap();
        assert_eq!(values.bytes.len(), 10);
        assert_eq!(write(&values, &ty).to_string(), json(text).to_string());
        let base64 = super::base64::encode(&values.bytes);
        assert_eq!(read(&base64.into(), &ty), Ok(values));
        assert!(read(&json(r#"{"a":5}"#), &ty).is_err());
    }

    proptest! {
        #[test]
        fn any_bits_come_back(bits: u64) {
            let types = [
                Type::Byte, Type::UByte, Type::Short, Type::UShort, Type::Int, Type::UInt, Type::Int64, Type::UInt64,
                Type::Float, Type::Double,
            ];
            for ty in types.map(DataType::Number).into_iter().chain([DataType::Raw(5), DataType::Char]) {
                let bytes = bits.to_le_bytes()[..ty.size().unwrap()].to_vec();
                let value = Values::from_bytes(bytes);
                let json = write(&value, &ty);
                let again = Json::parse_strict(json.to_string().as_bytes()).unwrap();
                prop_assert_eq!(read(&again, &ty), Ok(value));
            }
        }
    }
}
