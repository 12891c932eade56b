//! Numbers, booleans and null as C spells them.

use super::Json;

/// True for a character of a word.
pub fn is_part(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'+' | b'-' | b'.')
}

/// The value of a word that netCDF-C writes without quotes: what C's `strtod` takes, and `true`, `false` and `null` in any
/// case of letters. A hexadecimal float becomes a string. `None` for other words.
pub fn value(word: &str) -> Option<Json> {
    // Long words are numbers; copies of them would be of no use.
    if word.len() <= 10 {
        match word.to_ascii_lowercase().as_str() {
            "null" => return Some(Json::Null),
            "true" => return Some(Json::Bool(true)),
            "false" => return Some(Json::Bool(false)),
            "nanf" => return Some(Json::Float(f64::NAN)),
            "infinityf" => return Some(Json::Float(f64::INFINITY)),
            "-infinityf" => return Some(Json::Float(f64::NEG_INFINITY)),
            _ => {}
        }
    }
    let (negative, unsigned) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    if let Some(digits) = unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X")) {
        return Some(match u64::from_str_radix(digits, 16) {
            Ok(value) if negative => number(-i128::from(value)),
            Ok(value) => Json::Integer(value.into()),
            Err(_) => Json::String(word.to_owned()),
        });
    }
    match word.parse::<i128>() {
        Ok(value) => Some(number(value)),
        Err(_) => word.parse().ok().map(Json::Float),
    }
}

/// An integer, or a float if it has more than 64 bits.
pub fn number(value: i128) -> Json {
    let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
    match range.contains(&value) {
        true => Json::Integer(value),
        false => Json::Float(value as f64),
    }
}
