//! The attribute `_FillValue`, which xarray spells by the type of the variable: a float as base64 of its bytes as a
//! little-endian double, `"AAAAAAAA+H8="`, an integer as a number.

use crate::format::zarr::json::Json;
use crate::format::zarr::number::push_number;
use crate::model::{Type, Values};
use crate::store::base64;

/// The value for a variable of type `ty`. `None` if it is none of these forms.
pub fn read(json: &Json, ty: Type) -> Option<Values> {
    if !matches!(ty, Type::Float | Type::Double) {
        return match ty {
            Type::Char | Type::String | Type::User(_) => None,
            _ => number(json, ty),
        };
    }
    let double = json
        .as_str()
        .and_then(base64::decode)
        .and_then(|bytes| <[u8; 8]>::try_from(bytes).ok())
        .map(f64::from_le_bytes);
    match (double, ty) {
        (Some(double), Type::Float) => Some(Values::from_bytes((double as f32).to_le_bytes().to_vec())),
        (Some(double), _) => Some(Values::from_bytes(double.to_le_bytes().to_vec())),
        (None, _) => number(json, ty),
    }
}

/// One number, bare or as the only element of an array.
fn number(json: &Json, ty: Type) -> Option<Values> {
    let json = match json.as_array() {
        Some([one]) => one,
        Some(_) => return None,
        None => json,
    };
    let mut bytes = Vec::new();
    push_number(&mut bytes, json, ty).then(|| Values::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling() {
        let value = |text: &str, ty| read(&Json::parse(text.as_bytes()).unwrap(), ty).map(|v| v.bytes);
        let double = |v: f64| Some(v.to_le_bytes().to_vec());
        let float = |v: f32| Some(v.to_le_bytes().to_vec());
        assert_eq!(value("\"AAAAAAAA+H8=\"", Type::Double), double(f64::NAN));
        assert_eq!(value("\"AAAAAAAA+H8=\"", Type::Float), float(f32::NAN));
        assert_eq!(value("\"NaN\"", Type::Float), float(f32::NAN));
        assert_eq!(value("-99", Type::Float), float(-99.0));
        assert_eq!(value("[1.5]", Type::Double), double(1.5));
        assert_eq!(value("-5", Type::Short), Some((-5i16).to_le_bytes().to_vec()));
        assert_eq!(value("\"x\"", Type::Short), None);
        assert_eq!(value("[1, 2]", Type::Short), None);
        assert_eq!(value("\"x\"", Type::String), None);
    }
}
