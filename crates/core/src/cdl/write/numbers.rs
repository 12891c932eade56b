//! Numbers as C's `printf` prints them.

use std::io::Write;

/// Appends `value` as `%.{precision}g` does: the shorter of fixed and scientific notation, trailing zeros cut.
/// NaN and infinities are the caller's.
pub fn push_general(out: &mut Vec<u8>, value: f64, precision: usize) {
    let precision = precision.max(1);
    if value == 0.0 {
        out.extend_from_slice(if value.is_sign_negative() { b"-0" } else { b"0" });
        return;
    }
    // Rust's exponent form is correctly rounded, as glibc's is: its digits and exponent decide the rest.
    let mut text = [0u8; 48];
    let mut cursor = std::io::Cursor::new(&mut text[..]);
    let length = match write!(cursor, "{value:.*e}", precision - 1) {
        Ok(()) => cursor.position() as usize,
        // More digits than fit: fall back on an allocation.
        Err(_) => return push_long(out, value, precision),
    };
    push_digits(out, &text[..length], precision);
}

fn push_long(out: &mut Vec<u8>, value: f64, precision: usize) {
    let text = format!("{value:.*e}", precision - 1);
    push_digits(out, text.as_bytes(), precision);
}

/// Lays out `d.ddde±x`.
fn push_digits(out: &mut Vec<u8>, text: &[u8], precision: usize) {
    let text = match text.strip_prefix(b"-") {
        Some(rest) => {
            out.push(b'-');
            rest
        }
        None => text,
    };
    let e = text.iter().position(|c| *c == b'e').unwrap_or(text.len());
    let exponent: i32 = text
        .get(e + 1..)
        .and_then(|t| std::str::from_utf8(t).ok())
        .and_then(|t| t.parse().ok())
        .unwrap_or(0);
    let mantissa = &text[..e];
    let digits = |range: std::ops::Range<usize>| {
        mantissa
            .iter()
            .copied()
            .filter(u8::is_ascii_digit)
            .skip(range.start)
            .take(range.len())
    };
    let total = mantissa.iter().filter(|c| c.is_ascii_digit()).count();
    let significant = total
        - mantissa
            .iter()
            .rev()
            .filter(|c| **c != b'.')
            .take_while(|c| **c == b'0')
            .count()
            .min(total - 1);
    if exponent < -4 || exponent >= precision as i32 {
        out.extend(digits(0..1));
        if significant > 1 {
            out.push(b'.');
            out.extend(digits(1..significant));
        }
        out.push(b'e');
        out.push(if exponent < 0 { b'-' } else { b'+' });
        let _ = write!(out, "{:02}", exponent.unsigned_abs());
    } else if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', (-exponent - 1) as usize));
        out.extend(digits(0..significant));
    } else {
        let whole = exponent as usize + 1;
        out.extend(digits(0..whole.min(total)));
        if significant > whole {
            out.push(b'.');
            out.extend(digits(whole..significant));
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
