//! The type of an attribute that has none beside it.

use super::super::json::Json;
use super::super::number::push_number;
use super::elements::Elements;
use crate::model::{Type, Values};

/// The types of integers, in the order in which they are tried.
const INTEGERS: [Type; 4] = [Type::Int, Type::UInt, Type::Int64, Type::UInt64];

/// The elements of a value.
///
/// - Integers have the first type of int, uint, int64 and uint64 that holds them all.
/// - Numbers of which any is a float are doubles.
/// - Booleans are ubyte.
/// - A string is text, and `[]` is empty text.
/// - Anything else is JSON as text: objects, null, arrays of strings, of arrays, or of various sorts.
pub fn infer(json: &Json) -> Elements {
    let scalar = std::slice::from_ref(json);
    let elements = match json {
        Json::String(text) => return Elements::chars(text),
        Json::Array(elements) if elements.is_empty() => return Elements::chars(""),
        Json::Array(elements) => elements,
        _ => scalar,
    };
    let plain: Vec<_> = elements.iter().map(|json| json.plain().into_owned()).collect();
    numbers(&plain).unwrap_or_else(|| Elements::json(json))
}

/// Numbers, or booleans. `None` if an element is of another sort, or if there are both.
fn numbers(elements: &[Json]) -> Option<Elements> {
    let all = |sort: fn(&Json) -> bool| elements.iter().all(sort);
    if all(|json| matches!(json, Json::Bool(_))) {
        return collect(elements, Type::UByte);
    }
    if all(|json| matches!(json, Json::Integer(_))) {
        let integers = INTEGERS.iter().find_map(|ty| collect(elements, *ty));
        // Negative numbers beside some that only uint64 holds.
        return integers.or_else(|| collect(elements, Type::Double));
    }
    match all(|json| matches!(json, Json::Integer(_) | Json::Float(_))) {
        true => collect(elements, Type::Double),
        false => None,
    }
}

/// Elements of a type of numbers. `None` if one does not fit.
pub fn collect(elements: &[Json], ty: Type) -> Option<Elements> {
    let mut bytes = Vec::new();
    let fit = elements.iter().all(|json| push_number(&mut bytes, json, ty));
    fit.then(|| Elements {
        ty,
        length: elements.len(),
        values: Values::from_bytes(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::zarr::number::numbers;

    fn inferred(text: &str) -> (Type, String) {
        let elements = infer(&Json::parse(text.as_bytes()).unwrap());
        let values = match elements.ty {
            Type::Char => String::from_utf8(elements.values.bytes).unwrap(),
            ty => Json::Array(numbers(&elements.values.bytes, ty)).to_string(),
        };
        (elements.ty, values)
    }

    #[test]
    fn numbers_have_the_first_type_that_holds_all() {
        for (text, ty, values) in [
            ("7", Type::Int, "[7]"),
            ("[1,2,3]", Type::Int, "[1,2,3]"),
            ("-2147483648", Type::Int, "[-2147483648]"),
            ("2147483648", Type::UInt, "[2147483648]"),
            ("[0,4294967295]", Type::UInt, "[0,4294967295]"),
            ("[-1,4294967295]", Type::Int64, "[-1,4294967295]"),
            ("4294967296", Type::Int64, "[4294967296]"),
            ("9223372036854775808", Type::UInt64, "[9223372036854775808]"),
            (
                "[-1,9223372036854775808]",
                Type::Double,
                "[-1.0,9.223372036854776e18]",
            ),
            ("18446744073709551616", Type::Double, "[1.8446744073709552e19]"),
            ("1.0", Type::Double, "[1.0]"),
            ("[1,2.5]", Type::Double, "[1.0,2.5]"),
            ("[NaN,-Infinity,1]", Type::Double, "[NaN,-Infinity,1.0]"),
            ("true", Type::UByte, "[1]"),
            ("[true,false]", Type::UByte, "[1,0]"),
        ] {
            assert_eq!(inferred(text), (ty, values.to_owned()), "{text}");
        }
    }

    #[test]
    fn the_rest_is_text() {
        for (json, text) in [
            ("\"K\"", "K"),
            ("\"\"", ""),
            ("\"NaN\"", "NaN"),
            ("[]", ""),
            ("null", "null"),
            ("{}", "{}"),
            ("[ \"one\", \"two\" ]", "[\"one\",\"two\"]"),
            ("[1, \"a\"]", "[1,\"a\"]"),
            ("[1, true]", "[1,true]"),
            ("[1, null]", "[1,null]"),
            ("[[1, 2], [3]]", "[[1,2],[3]]"),
            (
                "{\"json\":[1,2,{\"k\":null}],\"a\":1}",
                r#"{"json": [1,2,{"k": null}], "a": 1}"#,
            ),
        ] {
            assert_eq!(inferred(json), (Type::Char, text.to_owned()), "{json}");
        }
    }
}
