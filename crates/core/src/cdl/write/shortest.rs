//! Floating-point numbers as the shortest decimal that reads back as the same bits.

use std::io::Write;

/// Appends a finite `float` by the fewest digits that no other `float` is nearer to.
pub fn push_shortest_float(out: &mut Vec<u8>, value: f32) {
    let _ = if is_plain(value.abs().into(), 1e7) {
        write!(out, "{value}")
    } else {
        write!(out, "{value:e}")
    };
}

/// Appends a finite `double` by the fewest digits that no other `double` is nearer to.
pub fn push_shortest_double(out: &mut Vec<u8>, value: f64) {
    let _ = if is_plain(value.abs(), 1e15) {
        write!(out, "{value}")
    } else {
        write!(out, "{value:e}")
    };
}

/// Whether a magnitude is written without an exponent: where `%g` does so, and zeros would not stand in for digits that
/// are not known.
fn is_plain(magnitude: f64, end: f64) -> bool {
    magnitude == 0.0 || (1e-4..end).contains(&magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(value: f32) -> String {
        let mut out = Vec::new();
        push_shortest_float(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    fn double(value: f64) -> String {
        let mut out = Vec::new();
        push_shortest_double(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_fewest_digits() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1234567.0, "1234567"),
            (16777217.0, "1.6777216e7"),
            (1.5e-7, "1.5e-7"),
            (f32::MAX, "3.4028235e38"),
            (f32::from_bits(1), "1e-45"),
        ] {
            assert_eq!(float(value), text);
        }
        for (value, text) in [
            (0.1, "0.1"),
            (0.1f32.into(), "0.10000000149011612"),
            (1e22, "1e22"),
            (1e14, "100000000000000"),
            (1e15, "1e15"),
            (-1.2345678901234567, "-1.2345678901234567"),
            (f64::MAX, "1.7976931348623157e308"),
            (f64::from_bits(1), "5e-324"),
        ] {
            assert_eq!(double(value), text);
        }
    }
}
