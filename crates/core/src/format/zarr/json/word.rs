//! Numbers, booleans and null as C spells them.

/// The value of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum Word {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without point and exponent, of at most 64 bits.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// A hexadecimal float, which stays text.
    Text(String),
}

/// True for a character of a word.
pub fn is_part(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'+' | b'-' | b'.')
}

/// True for a whole number as JSON spells it.
pub fn is_whole(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    digits.starts_with(|c| matches!(c, '1'..='9')) && digits.bytes().all(|c| c.is_ascii_digit())
}

/// The value of a word that netCDF-C writes without quotes: what C's `strtod` takes, and `true`, `false` and `null` in any
/// case of letters. A hexadecimal float becomes a string. `None` for other words.
pub fn value(word: &str) -> Option<Word> {
    // Long words are numbers; copies of them would be of no use.
    if word.len() <= 10 {
        match word.to_ascii_lowercase().as_str() {
            "null" => return Some(Word::Null),
            "true" => return Some(Word::Bool(true)),
            "false" => return Some(Word::Bool(false)),
            "nanf" => return Some(Word::Float(f64::NAN)),
            "infinityf" => return Some(Word::Float(f64::INFINITY)),
            "-infinityf" => return Some(Word::Float(f64::NEG_INFINITY)),
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
            Ok(value) => Word::Integer(value.into()),
            Err(_) => Word::Text(word.to_owned()),
        });
    }
    match word.parse::<i128>() {
        Ok(value) => Some(number(value)),
        Err(_) => word.parse().ok().map(Word::Float),
    }
}

/// An integer, or a float if it has more than 64 bits.
pub fn number(value: i128) -> Word {
    let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
    match range.contains(&value) {
        true => Word::Integer(value),
        false => Word::Float(value as f64),
    }
}
