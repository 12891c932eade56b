//! Numbers in the form of C's `printf`.

use super::digits::{MAX_DIGITS, significant};

/// Appends a signed integer.
#[inline]
pub fn push_integer(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    push_unsigned(out, value.unsigned_abs());
}

/// Appends an unsigned integer.
#[inline]
pub fn push_unsigned(out: &mut Vec<u8>, value: u64) {
    let mut text = [0; 20];
    let start = digits_before(&mut text, value);
    out.extend_from_slice(&text[start..]);
}

/// Writes the digits of `value` to the end of `text`. Returns the start of the digits.
fn digits_before(text: &mut [u8; 20], mut value: u64) -> usize {
    let mut at = text.len();
    while value >= 100 {
        at -= 2;
        text[at..at + 2].copy_from_slice(&PAIRS[(value % 100) as usize]);
        value /= 100;
    }
    if value >= 10 {
        at -= 2;
        text[at..at + 2].copy_from_slice(&PAIRS[value as usize]);
    } else {
        at -= 1;
        text[at] = b'0' + value as u8;
    }
    at
}

/// The texts `00` to `99`.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut at = 0;
    while at < 100 {
        pairs[at] = [b'0' + (at / 10) as u8, b'0' + (at % 10) as u8];
        at += 1;
    }
    pairs
};

/// Appends `value` like `%.{precision}g`: the shorter of fixed and scientific notation, without trailing
/// zeros. The caller handles NaN and infinities.
pub fn push_general(out: &mut Vec<u8>, value: f64, precision: usize) {
    let precision = precision.max(1);
    if value == 0.0 {
        out.extend_from_slice(if value.is_sign_negative() { b"-0" } else { b"0" });
        return;
    }
    if precision <= MAX_DIGITS
        && let Some(decimal) = significant(value, precision)
    {
        let mut text = [0; 20];
        let start = digits_before(&mut text, decimal.digits);
        let end = 20 - text.iter().rev().take_while(|c| **c == b'0').count();
        push_decimal(
            out,
            value.is_sign_negative(),
            &text[start..end],
            decimal.exponent,
            precision,
        );
        return;
    }
    // Rust's exponent form is correctly rounded, like glibc's.
    let text = format!("{:.*e}", precision - 1, value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let end = digits.iter().rposition(|c| *c != b'0').map_or(1, |at| at + 1);
    push_decimal(
        out,
        value.is_sign_negative(),
        &digits[..end],
        exponent.parse().unwrap_or(0),
        precision,
    );
}

/// Appends `d.ddd × 10^exponent`. The last of `digits` is not 0.
fn push_decimal(out: &mut Vec<u8>, negative: bool, digits: &[u8], exponent: i32, precision: usize) {
    // Enough for any number of MAX_DIGITS digits.
    out.reserve(32);
    if negative {
        out.push(b'-');
    }
    if exponent < -4 || exponent >= precision as i32 {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
        let exponent = exponent.unsigned_abs();
        if exponent < 10 {
            out.push(b'0');
        }
        push_unsigned(out, exponent.into());
    } else if exponent < 0 {
        out.extend_from_slice(&b"0.000"[..1 + exponent.unsigned_abs() as usize]);
        out.extend_from_slice(digits);
    } else {
        let whole = exponent as usize + 1;
        if digits.len() > whole {
            out.extend_from_slice(&digits[..whole]);
            out.push(b'.');
            out.extend_from_slice(&digits[whole..]);
        } else {
            out.extend_from_slice(digits);
            out.resize(out.len() + whole - digits.len(), b'0');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn general(value: f64, precision: usize) -> String {
        let mut out = Vec::new();
        push_general(&mut out, value, precision);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prints_as_printf_does() {
        for (value, precision, text) in [
            (0.0, 7, "0"),
            (-0.0, 7, "-0"),
            (1.0, 7, "1"),
            (100000.0, 7, "100000"),
            (1234567.0, 7, "1234567"),
            (12345678.0, 7, "1.234568e+07"),
            (1e-4, 7, "0.0001"),
            (1e-5, 7, "1e-05"),
            (1.5e-7, 7, "1.5e-07"),
            (1e100, 7, "1e+100"),
            (0.1f32 as f64, 7, "0.1"),
            (0.1, 15, "0.1"),
            (0.1, 17, "0.10000000000000001"),
            (123456789.0, 15, "123456789"),
            (1e15, 15, "1e+15"),
            (-2.5, 1, "-2"),
            (9.9999999, 3, "10"),
            (999999.96, 7, "1000000"),
            (9999999.6, 7, "1e+07"),
            (f64::MIN_POSITIVE, 15, "2.2250738585072e-308"),
            (1.5, 60, "1.5"),
        ] {
            assert_eq!(general(value, precision), text);
        }
    }
}
