//! Numbers of metadata as elements of a netCDF type.

use super::json::Json;
use crate::model::{Type, for_number_type};

/// Appends a number as an element of the type `ty`. Returns false, and appends nothing, if the value is no number or does
/// not fit: an integer type takes whole numbers in its range, and `float` takes no finite number beyond its largest.
///
/// A boolean is 0 or 1. A string may hold a number, such as `"NaN"` or `"-Infinity"`.
///
/// # Panics
/// If `ty` is not a type of numbers.
pub fn push_number(out: &mut Vec<u8>, json: &Json, ty: Type) -> bool {
    let parsed = match json {
        Json::Bool(value) => Some(Json::Integer((*value).into())),
        Json::String(text) => parse(text),
        Json::Word(_) => return push_number(out, &json.plain(), ty),
        _ => None,
    };
    let json = parsed.as_ref().unwrap_or(json);
    let whole = json.as_whole();
    macro_rules! integer {
        ($ty:ty) => {
            whole
                .and_then(|v| <$ty>::try_from(v).ok())
                .map(|v| out.extend_from_slice(&v.to_le_bytes()))
                .is_some()
        };
    }
    match ty {
        Type::Byte => integer!(i8),
        Type::Short => integer!(i16),
        Type::Int => integer!(i32),
        Type::Int64 => integer!(i64),
        Type::UByte => integer!(u8),
        Type::UShort => integer!(u16),
        Type::UInt => integer!(u32),
        Type::UInt64 => integer!(u64),
        Type::Float => {
            let narrow = match json {
                Json::Integer(value) => *value as f32,
                Json::Float(value) if value.is_finite() && (*value as f32).is_infinite() => return false,
                Json::Float(value) => *value as f32,
                _ => return false,
            };
            out.extend_from_slice(&narrow.to_le_bytes());
            true
        }
        Type::Double => json
            .as_f64()
            .map(|v| out.extend_from_slice(&v.to_le_bytes()))
            .is_some(),
        Type::Char | Type::String | Type::User(_) => panic!("not a type of numbers"),
    }
}

/// A number in a string: one of JSON, or one that is not finite in any case of letters.
fn parse(text: &str) -> Option<Json> {
    match Json::parse(text.as_bytes()).ok() {
        Some(number @ (Json::Integer(_) | Json::Float(_))) => Some(number),
        _ => (text.parse::<f64>().ok())
            .filter(|v| !v.is_finite())
            .map(Json::Float),
    }
}

/// The elements of `bytes`, which have a type of numbers, each as a JSON number. A `float` becomes the number with the
/// fewest digits that narrows to it.
///
/// # Panics
/// If `ty` is not a type of numbers.
pub fn numbers(bytes: &[u8], ty: Type) -> Vec<Json> {
    macro_rules! each {
        ($ty:ty, $to:expr) => {
            bytes
                .chunks_exact(size_of::<$ty>())
                .map(|b| $to(<$ty>::from_le_bytes(b.try_into().expect("one element"))))
                .collect()
        };
    }
    macro_rules! whole {
        ($ty:ty) => {
            each!($ty, |v| Json::Integer(i128::from(v)))
        };
    }
    macro_rules! float {
        (f32) => {
            each!(f32, |v| Json::Float(shortest(v)))
        };
        (f64) => {
            each!(f64, Json::Float)
        };
    }
    for_number_type!(ty, whole, float, else panic!("not a type of numbers"))
}

/// The `double` whose shortest digits are those of a `float`: 0.1, not 0.10000000149011612.
fn shortest(value: f32) -> f64 {
    match format!("{value:?}").parse::<f64>() {
        // Readers parse a double and narrow it. The two roundings could lead to a neighbour.
        Ok(short) if short as f32 == value => short,
        _ => value.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str, ty: Type) -> Option<Vec<u8>> {
        let json = Json::parse(text.as_bytes()).unwrap();
        let mut out = vec![];
        push_number(&mut out, &json, ty).then_some(out)
    }

    #[test]
    fn integers_in_their_range() {
        for (ty, least, most) in [
            (Type::Byte, "-128", "127"),
            (Type::UByte, "0", "255"),
            (Type::Short, "-32768", "32767"),
            (Type::UShort, "0", "65535"),
            (Type::Int, "-2147483648", "2147483647"),
            (Type::UInt, "0", "4294967295"),
            (Type::Int64, "-9223372036854775808", "9223372036854775807"),
            (Type::UInt64, "0", "18446744073709551615"),
        ] {
            for text in [least, most] {
                let bytes = number(text, ty).unwrap();
                assert_eq!(bytes.len(), ty.atomic_size());
                assert_eq!(numbers(&bytes, ty)[0].to_string(), text);
                assert_eq!(number(&format!("\"{text}\""), ty), Some(bytes));
            }
            let beyond = |text: &str, by: i128| (text.parse::<i128>().unwrap() + by).to_string();
            assert_eq!(number(&beyond(least, -1), ty), None);
            assert_eq!(number(&beyond(most, 1), ty), None);
            for text in [
                "1.5", "NaN", "Infinity", "\"NaN\"", "\"x\"", "null", "[1]", "\"\"", "{}",
            ] {
                assert_eq!(number(text, ty), None, "{text}");
            }
            assert_eq!(number("2.0", ty), number("2", ty));
            assert_eq!(number("true", ty), number("1", ty));
        }
    }

    #[test]
    fn floats() {
        let float = |text| number(text, Type::Float).map(|b| f32::from_le_bytes(b.try_into().unwrap()));
        let double = |text| number(text, Type::Double).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
        assert_eq!(float("0.1"), Some(0.1));
        assert_eq!(float("-99"), Some(-99.0));
        assert_eq!(float("16777217"), Some(16777216.0));
        assert_eq!(float("3.4028235677973366e38"), None);
        assert_eq!(float("3.4028235e38"), Some(f32::MAX));
        assert_eq!(float("\"-Infinity\""), Some(f32::NEG_INFINITY));
        assert_eq!(double("\"Infinity\""), Some(f64::INFINITY));
        assert_eq!(double("\"1.5\""), Some(1.5));
        assert!(double("\"NaN\"").unwrap().is_nan() && double("\"nan\"").unwrap().is_nan());
        assert!(float("NaN").unwrap().is_nan());
        assert_eq!(double("\"\""), None);
        assert_eq!(double("\" 1\""), Some(1.0));
        assert_eq!(double("null"), None);
        let bytes = [0.1f32, 9.969_21e36, f32::NAN].map(f32::to_le_bytes).concat();
        let texts = numbers(&bytes, Type::Float)
            .iter()
            .map(Json::to_string)
            .collect::<Vec<_>>();
        assert_eq!(texts, ["0.1", "9.96921e36", "NaN"]);
    }

    proptest! {
        #[test]
        fn any_number_comes_back(bits: u64) {
            for ty in [
                Type::Byte, Type::UByte, Type::Short, Type::UShort, Type::Int, Type::UInt, Type::Int64, Type::UInt64,
                Type::Float, Type::Double,
            ] {
                let bytes = &bits.to_le_bytes()[..ty.atomic_size()];
                let json = &numbers(bytes, ty)[0];
                let read = number(&json.to_string(), ty).unwrap();
                if !json.as_f64().unwrap().is_nan() {
                    prop_assert_eq!(read, bytes);
                }
            }
        }

        #[test]
        fn floats_narrow_from_their_digits(bits: u32) {
            let value = f32::from_bits(bits);
            prop_assume!(!value.is_nan());
            prop_assert_eq!(shortest(value) as f32, value);
        }
    }
}
