//! Integers in declarations: lengths, and the values of an enum's members.

/// Reads an integer as CDL spells it: decimal, octal behind a `0`, hexadecimal behind `0x`, with or without a suffix for
/// its type (`b s l ll`, with a `u` before or behind for unsigned, in either case).
///
/// # Errors
/// What is wrong, for people.
pub fn integer(spelled: &str) -> Result<i128, String> {
    let (negative, rest) = match spelled.as_bytes().first() {
        Some(b'-') => (true, &spelled[1..]),
        Some(b'+') => (false, &spelled[1..]),
        _ => (false, spelled),
    };
    let lower = rest.to_ascii_lowercase();
    let (radix, rest) = match lower.strip_prefix("0x") {
        Some(rest) => (16, rest),
        None => (10, lower.as_str()),
    };
    let end = rest
        .bytes()
        .position(|b| !char::from(b).is_digit(radix))
        .unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(end);
    let radix = if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
        8
    } else {
        radix
    };
    let wrong = |why: &str| Err(format!("{spelled} is not an integer: {why}"));
    let unsigned = suffix.contains('u');
    let bits = match suffix.replacen('u', "", 1).as_str() {
        "" => 64,
        "b" if radix != 16 => 8,
        "s" => 16,
        "l" | "ll" => 64,
        _ => return wrong(&format!("there is no suffix '{suffix}'")),
    };
    if digits.is_empty() {
        return wrong("digits must follow 0x");
    }
    if radix == 8 && digits.contains(['8', '9']) {
        return wrong("behind a 0 it is octal, and has the digits 0 to 7 only");
    }
    if negative && unsigned {
        return wrong("an unsigned one has no sign");
    }
    let value = match u64::from_str_radix(digits, radix) {
        Ok(value) => i128::from(value),
        Err(_) => return wrong("it needs more than 64 bits"),
    };
    let value = if negative { -value } else { value };
    if fits(value, bits) {
        Ok(value)
    } else {
        wrong(&format!("it needs more than {bits} bits"))
    }
}

/// Whether `bits` bits hold `value`, as a signed or an unsigned number.
pub fn fits(value: i128, bits: u32) -> bool {
    value >= -(1 << (bits - 1)) && value < 1 << bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (spelled, value) in [
            ("7", 7),
            ("+7", 7),
            ("-7L", -7),
            ("010", 8),
            ("0", 0),
            ("0x1F", 31),
            ("0x1fs", 31),
            ("0xBUL", 11),
            ("5su", 5),
            ("5LLU", 5),
            ("255b", 255),
            ("-128b", -128),
            ("18446744073709551615", u64::MAX.into()),
            ("-9223372036854775808", i64::MIN.into()),
        ] {
            assert_eq!(integer(spelled), Ok(value), "{spelled}");
        }
    }

    #[test]
    fn misspellings() {
        for spelled in [
            "09",
            "1x",
            "0x",
            "256b",
            "-129b",
            "70000s",
            "-1u",
            "1uu",
            "18446744073709551616",
            "-9223372036854775809",
            "1e5",
        ] {
            let error = integer(spelled).unwrap_err();
            assert!(
                error.starts_with(&format!("{spelled} is not an integer: ")),
                "{error}"
            );
        }
    }
}
