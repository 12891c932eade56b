//! Constants of the language of `-F`: parameters of filters.
//!
//! A constant makes one 32-bit parameter. A constant of a 64-bit type makes two, the low word first:
//!
//! | suffix (either case) | type |
//! | --- | --- |
//! | none | −2147483648 to 4294967295 |
//! | `b`, `s` | signed, 8 or 16 bits, sign-extended to 32 |
//! | `u`, `ub`, `us` | unsigned, 32, 8 or 16 bits |
//! | `l`, `ul` | signed or unsigned, 64 bits |
//! | `f`, `d` | the bits of an IEEE 754 number of 32 or 64 bits |

/// Range of the integer type that a suffix names.
fn integer_bounds(suffix: &str) -> Option<(i128, i128)> {
    Some(match suffix {
        "" => (i128::from(i32::MIN), i128::from(u32::MAX)),
        "b" => (i128::from(i8::MIN), i128::from(i8::MAX)),
        "ub" => (0, i128::from(u8::MAX)),
        "s" => (i128::from(i16::MIN), i128::from(i16::MAX)),
        "us" => (0, i128::from(u16::MAX)),
        "u" => (0, i128::from(u32::MAX)),
        "l" => (i128::from(i64::MIN), i128::from(i64::MAX)),
        "ul" => (0, i128::from(u64::MAX)),
        _ => return None,
    })
}

/// Appends the parameter words of one constant.
pub(super) fn parse_constant(text: &str, words: &mut Vec<u32>) -> Result<(), String> {
    if text.is_empty() {
        return Err("a parameter is missing between commas or at the end; expected a number".into());
    }
    let suffix_at = text.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |last| {
        last + text[last..].chars().next().map_or(1, char::len_utf8)
    });
    let (number, suffix) = text.split_at(suffix_at);
    let suffix = suffix.to_ascii_lowercase();
    let expected = || {
        format!(
            "'{text}' is not a parameter; expected a decimal number, with one of the suffixes b ub s us u l ul f d or none"
        )
    };
    match suffix.as_str() {
        "f" => {
            let value: f32 = parse_real(number).ok_or_else(expected)?;
            if value.is_infinite() {
                return Err(format!("'{text}' is out of range; a float goes up to 3.4e38"));
            }
            words.push(value.to_bits());
            return Ok(());
        }
        "d" => {
            let value: f64 = parse_real(number).ok_or_else(expected)?;
            if value.is_infinite() {
                return Err(format!("'{text}' is out of range; a double goes up to 1.8e308"));
            }
            push_long(value.to_bits(), words);
            return Ok(());
        }
        _ => {}
    }
    let (low, high) = integer_bounds(&suffix).ok_or_else(expected)?;
    let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(if suffix.is_empty() && parse_real::<f64>(number).is_some() {
            format!("'{text}' is not a whole number; expected the suffix f (float) or d (double) after it")
        } else {
            expected()
        });
    }
    let value = number
        .parse::<i128>()
        .ok()
        .filter(|value| (low..=high).contains(value))
        .ok_or_else(|| format!("'{text}' is out of range; expected {low} to {high}"))?;
    match suffix.as_str() {
        // Two's complement for signed and unsigned alike; the range has been checked.
        "l" | "ul" => push_long(value as u64, words),
        _ => words.push(value as u32),
    }
    Ok(())
}

/// Parses a decimal number with an optional fraction and exponent.
fn parse_real<T: std::str::FromStr>(text: &str) -> Option<T> {
    let plain = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    let number = text.bytes().any(|byte| byte.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if plain && number { text.parse().ok() } else { None }
}

/// Appends two words, the low one first.
fn push_long(value: u64, words: &mut Vec<u32>) {
    words.extend([value as u32, (value >> 32) as u32]);
}
