//! The elements of an attribute whose type NCZarr gives.

use super::super::dtype::{Dtype, Stored};
use super::super::flavor::Flavor;
use super::super::json::Json;
use super::elements::Elements;
use super::infer::collect;
use crate::model::{Type, Values};

/// The type of JSON in NCZarr, as text.
const JSON: &str = "|J0";

/// The type that NCZarr gives an attribute. `None` if it is unknown.
pub fn parse(text: &str) -> Option<Type> {
    match text {
        JSON | "<U1" => Some(Type::Char),
        _ => {
            let dtype = Dtype::parse_text(text, Flavor::Nczarr).ok()?;
            (dtype.stored != Stored::Complex).then_some(dtype.ty)
        }
    }
}

/// The elements of a value that has the type `ty`. `None` if it does not fit.
///
/// Chars are text. Any value but a string is printed as JSON, and an empty array is empty text.
pub fn elements(json: &Json, ty: Type) -> Option<Elements> {
    let scalar = std::slice::from_ref(json);
    let list = json.as_array().unwrap_or(scalar);
    match ty {
        Type::Char => Some(match json {
            // netCDF-C writes one NUL for an empty text, and reads one.
            Json::String(text) if text.is_empty() => Elements::chars("\0"),
            Json::String(text) => Elements::chars(text),
            Json::Array(elements) if elements.is_empty() => Elements::chars(""),
            _ => Elements::json(json),
        }),
        Type::String => {
            let mut values = Values::default();
            for json in list {
                match json {
                    Json::String(text) => values.push_string(Some(text.as_bytes())),
                    Json::Null => values.push_string(None),
                    _ => return None,
                }
            }
            Some(Elements {
                ty,
                length: list.len(),
                values,
            })
        }
        Type::User(_) => None,
        _ => collect(list, ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_either_age() {
        for (text, ty) in [
            (">S1", Some(Type::Char)),
            ("<U1", Some(Type::Char)),
            ("|J0", Some(Type::Char)),
            ("|S128", Some(Type::String)),
            ("|S1", Some(Type::String)),
            ("<i1", Some(Type::Byte)),
            ("|i1", Some(Type::Byte)),
            ("|u1", Some(Type::UByte)),
            ("<f4", Some(Type::Float)),
            (">i8", Some(Type::Int64)),
            ("<c8", None),
            ("", None),
        ] {
            assert_eq!(parse(text), ty, "{text}");
        }
    }
}
