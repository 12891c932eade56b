//! The member `fill_value` of an array.
//!
//! | type | written | read besides |
//! | --- | --- | --- |
//! | integers | `-1` | `-1.0`, `"-1"`, `[-1]` as netCDF-C 4.8.0 wrote it |
//! | floats | `9.969209968386869e36`, `"NaN"`, `"Infinity"`, `"-Infinity"` | the bare tokens |
//! | char, string | `""` | raw text; base64 in pure Zarr |
//! | none | `null` | |

use crate::format::zarr::dtype::{Dtype, Stored};
use crate::format::zarr::flavor::Flavor;
use crate::format::zarr::half::rounded_to_half;
use crate::format::zarr::json::Json;
use crate::format::zarr::number::{numbers, push_number};
use crate::model::{Type, Values};
use crate::store::base64;

/// Reads a fill value as one element. `None` for `null`.
///
/// # Errors
/// A value that does not fit the type, as a clause: "the fill_value 300 does not fit the type |u1".
pub fn read(json: &Json, dtype: &Dtype, flavor: Flavor) -> Result<Option<Values>, String> {
    if json.is_null() {
        return Ok(None);
    }
    let value = match dtype.stored {
        Stored::Number if dtype.ty == Type::Int64 && json.as_str() == Some("NaT") => {
            Some(Values::from_bytes(i64::MIN.to_le_bytes().to_vec()))
        }
        Stored::Number => number(json, dtype.ty),
        Stored::Bool => number(json, dtype.ty).filter(|v| v.bytes[0] <= 1),
        Stored::Half => half(json),
        Stored::Complex => complex(json, dtype.ty),
        Stored::Char => text(json, dtype, flavor)
            .map(|text| Values::from_bytes(vec![text.first().copied().unwrap_or_default()])),
        Stored::Bytes | Stored::Ucs4 | Stored::Objects => {
            text(json, dtype, flavor).map(|text| Values::from_strings([Some(&text[..])]))
        }
    };
    match value {
        Some(value) => Ok(Some(value)),
        None => Err(format!(
            "the fill_value {} does not fit the type {}",
            json.shown(),
            dtype.text(flavor)
        )),
    }
}

/// Formats a fill value, one element of the type. `None` becomes `null`.
///
/// A float is given with all digits of the double that it is, up to 17. That of chars and strings is always empty, because
/// readers do not agree how others are spelled. So every chunk of them must be written. Writers of references, whose readers agree, write
/// those of chars themselves.
pub fn write(value: Option<&Values>, dtype: &Dtype) -> Json {
    let Some(value) = value else {
        return Json::Null;
    };
    match dtype.stored {
        // As zarr-python 2 writes it for lists of numbers. Every chunk of them is written.
        Stored::Objects => return Json::Integer(0),
        Stored::Bool => return Json::Bool(value.bytes.first().is_some_and(|byte| *byte != 0)),
        Stored::Complex => {
            let parts = value.bytes.chunks_exact(dtype.ty.atomic_size());
            let part = |bytes: &[u8]| match dtype.ty {
                Type::Float => float(f32::from_le_bytes(first(bytes)).into()),
                _ => float(f64::from_le_bytes(first(bytes))),
            };
            return Json::Array(parts.map(part).collect());
        }
        _ => {}
    }
    match dtype.ty {
        Type::Char | Type::String | Type::User(_) => "".into(),
        Type::Float => float(f32::from_le_bytes(first(&value.bytes)).into()),
        Type::Double => float(f64::from_le_bytes(first(&value.bytes))),
        ty => numbers(&value.bytes, ty).into_iter().next().unwrap_or(Json::Null),
    }
}

/// The first bytes of an element; zeros if it is too short.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

fn float(value: f64) -> Json {
    match value.is_finite() {
        true => Json::Float(value),
        false => Json::String(Json::Float(value).to_string()),
    }
}

fn number(json: &Json, ty: Type) -> Option<Values> {
    let json = match json.as_array() {
        Some([only]) => only,
        _ => json,
    };
    let mut bytes = Vec::new();
    push_number(&mut bytes, json, ty).then(|| Values::from_bytes(bytes))
}

/// The two parts of a complex number. One number has no imaginary part.
fn complex(json: &Json, part: Type) -> Option<Values> {
    let zero = Json::Integer(0);
    let (re, im) = match json.as_array() {
        Some([re, im]) => (re, im),
        Some(_) => return None,
        None => (json, &zero),
    };
    let mut bytes = Vec::new();
    let fits = push_number(&mut bytes, re, part) && push_number(&mut bytes, im, part);
    fits.then(|| Values::from_bytes(bytes))
}

/// A `float` that a binary16 has: the fill value as chunks store it.
fn half(json: &Json) -> Option<Values> {
    let double = number(json, Type::Double)?;
    let value = f64::from_le_bytes(first(&double.bytes));
    let rounded = rounded_to_half(value);
    let fits = rounded.is_finite() || !value.is_finite();
    fits.then(|| Values::from_bytes((rounded as f32).to_le_bytes().to_vec()))
}

/// The bytes of a text without trailing NULs. `None` if it is too long.
fn text(json: &Json, dtype: &Dtype, flavor: Flavor) -> Option<Vec<u8>> {
    let raw = match json {
        Json::String(raw) => raw,
        // zarr-python's default for any type.
        _ if json.as_whole() == Some(0) => return Some(Vec::new()),
        _ => return None,
    };
    let trimmed = |bytes: &[u8]| {
        let end = bytes.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1);
        bytes[..end].to_vec()
    };
    // NCZarr writes raw text. The specification wants base64 for byte strings, and so do those who follow it.
    if matches!(dtype.stored, Stored::Bytes | Stored::Char) && !flavor.is_nczarr() {
        let decoded = base64::decode(raw).filter(|bytes| bytes.len() <= dtype.size);
        if let Some(bytes) = decoded {
            return Some(trimmed(&bytes));
        }
    }
    let text = trimmed(raw.as_bytes());
    let fits = match dtype.stored {
        Stored::Ucs4 => String::from_utf8_lossy(&text).chars().count() <= dtype.size / 4,
        Stored::Objects => true,
        _ => text.len() <= dtype.size,
    };
    fits.then_some(text)
}

#[cfg(test)]
mod tests;
