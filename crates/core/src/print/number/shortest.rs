//! Prints a floating-point number as the shortest decimal that reads back as the same bits. It has the fewest
//! digits that identify the number within its type and, among several such decimals, is the nearest.
//!
//! ```text
//! number ─► zmij ─► 12000000.0, 1e+36 ─► the exponent as the caller's rule has it ─► 1.2e7, 1e36
//! ```
//!
//! zmij finds the digits. It chooses itself when to use an exponent, and this may change. So numbers are
//! respelled here as the standard library spells them.

use std::ops::Range;

use zmij::{Buffer, Float};

use super::general::push_integer;

/// Most bytes of a number from zmij: 17 digits, a sign, a point, and an exponent or zeros in its place.
const MAX_LENGTH: usize = 32;

/// Appends a finite `float` as a value: `1`, `0.5`, `1.5e-7`, `1e7`.
pub fn push_shortest_float(out: &mut Vec<u8>, value: f32) {
    push(
        out,
        value,
        value.into(),
        is_plain(value.abs().into(), 1e7),
        Whole::Digits,
    );
}

/// Appends a finite `double` as a value: `1`, `0.5`, `1.5e-7`, `1e15`.
pub fn push_shortest_double(out: &mut Vec<u8>, value: f64) {
    push(out, value, value, is_plain(value.abs(), 1e15), Whole::Digits);
}

/// Appends a finite `float` as a constant of C or Fortran, never as an integer: `1.0`, `1.5e-7`, `1e16`.
pub fn push_float_constant(out: &mut Vec<u8>, value: f32) {
    let magnitude = value.abs();
    let plain = magnitude == 0.0 || (1e-4..1e16).contains(&magnitude);
    push(out, value, value.into(), plain, Whole::Point);
}

/// Appends a finite `double` as a constant of C or Fortran, never as an integer: `1.0`, `1.5e-7`, `1e16`.
pub fn push_double_constant(out: &mut Vec<u8>, value: f64) {
    push(out, value, value, is_plain(value.abs(), 1e16), Whole::Point);
}

/// True if a magnitude is printed without an exponent: where `%g` has none, and zeros would not replace
/// unknown digits.
fn is_plain(magnitude: f64, end: f64) -> bool {
    magnitude == 0.0 || (1e-4..end).contains(&magnitude)
}

/// The form of a whole number without an exponent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    /// `1`
    Digits,
    /// `1.0`
    Point,
}

/// Appends a number with an exponent, or without if `plain`. `same` is the number as a `double`.
#[inline]
fn push<F: Real>(out: &mut Vec<u8>, value: F, same: f64, plain: bool, whole: Whole) {
    let mut buffer = Buffer::new();
    let mut text = buffer.format_finite(value).as_bytes();
    let mut rounded;
    if let Some(places) = places_if_tied_to_even(same, F::TIED)
        && decimal_places(text) == places
    {
        let last = exponent_at(text).unwrap_or(text.len()) - 1;
        rounded = [0; MAX_LENGTH];
        rounded[..text.len()].copy_from_slice(text);
        // If the digit is odd, there were not two nearest decimals: below a power of two, the next number is
        // closer.
        rounded[last] |= 1;
        text = &rounded[..text.len()];
    }
    match (plain, exponent_at(text)) {
        (true, None) if whole == Whole::Digits => {
            out.extend_from_slice(text.strip_suffix(b".0").unwrap_or(text))
        }
        (true, None) => out.extend_from_slice(text),
        (false, Some(at)) => {
            let (mantissa, exponent) = text.split_at(at + 1);
            out.extend_from_slice(mantissa);
            out.extend_from_slice(exponent.strip_prefix(b"+").unwrap_or(exponent));
        }
        (true, Some(_)) => Decimal::parse(text).push_plain(out, whole),
        (false, None) => Decimal::parse(text).push_with_exponent(out),
    }
}

trait Real: Float {
    /// Range of all digits, as one integer, of a number that may be halfway between two shortest decimals.
    /// Decimals of `FLT_DIG` or `DBL_DIG` (6 or 15) digits survive a round trip through the type, so at least
    /// 7 or 16 digits are printed, and at most 9 or 17. The number itself has one digit more.
    const TIED: Range<u64>;
}

impl Real for f32 {
    const TIED: Range<u64> = 10_000_000..10_000_000_000;
}

impl Real for f64 {
    const TIED: Range<u64> = 10_000_000_000_000_000..1_000_000_000_000_000_000;
}

/// Finds numbers halfway between two equally short decimals, such as 1000.00006103515625. zmij rounds them to
/// even, but here they are rounded away from zero. Returns the number of decimal places of the rounded text
/// if the two results may differ.
///
/// The number is j / 2^n with j odd, so it has n decimal places, and the last one is a 5. Its neighbours with
/// n - 1 decimal places are equally far away. All its digits together are j × 5^n. Their remainder by 20 is 5
/// or 15, like that of j by 4 is 1 or 3. So j tells whether the digit before the last 5 is even.
#[inline]
fn places_if_tied_to_even(value: f64, tied: Range<u64>) -> Option<i32> {
    let bits = value.to_bits() & (u64::MAX >> 1);
    // Subnormal numbers have far more digits than the limit, so the bit that they lack does not matter.
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let zeros = mantissa.trailing_zeros();
    let places = 1075 - (bits >> 52) as i32 - zeros as i32;
    let five = *FIVE.get(usize::try_from(places).ok()?)?;
    let odd = mantissa >> zeros;
    (odd & 3 == 1 && tied.contains(&odd.checked_mul(five)?)).then_some(places - 1)
}

/// The powers of five below 10^18.
static FIVE: [u64; 26] = {
    let mut powers = [1; 26];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = 5 * powers[at - 1];
        at += 1;
    }
    powers
};

/// Number of decimal places in `text`.
fn decimal_places(text: &[u8]) -> i32 {
    match exponent_at(text) {
        Some(_) => {
            let decimal = Decimal::parse(text);
            decimal.count as i32 - 1 - decimal.exponent
        }
        None => text.iter().rev().position(|c| *c == b'.').unwrap_or(0) as i32,
    }
}

/// Position of the `e` of an exponent, which has a sign and up to three digits.
#[inline]
fn exponent_at(text: &[u8]) -> Option<usize> {
    // Most numbers have no exponent. This test looks at all five bytes at once.
    if text
        .last_chunk::<5>()
        .is_some_and(|end| !end.map(|c| c == b'e').contains(&true))
    {
        return None;
    }
    text.iter().rposition(|c| *c == b'e')
}

/// A number as digits: d.ddd × 10^exponent.
struct Decimal {
    negative: bool,
    digits: [u8; MAX_LENGTH],
    count: usize,
    exponent: i32,
}

impl Decimal {
    /// Parses a number that is not zero, in any spelling.
    fn parse(text: &[u8]) -> Self {
        let (negative, text) = text.strip_prefix(b"-").map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match exponent_at(text) {
            Some(at) => (
                &text[..at],
                std::str::from_utf8(&text[at + 1..]).unwrap_or_default(),
            ),
            None => (text, ""),
        };
        let mut digits = [b'0'; MAX_LENGTH];
        let mut count = 0;
        let point = mantissa.iter().position(|c| *c == b'.').unwrap_or(mantissa.len());
        let all = mantissa.iter().filter(|c| **c != b'.');
        let zeros = all.clone().take_while(|c| **c == b'0').count();
        for (digit, from) in digits.iter_mut().zip(all.skip(zeros)) {
            *digit = *from;
            count += 1;
        }
        while count > 1 && digits[count - 1] == b'0' {
            count -= 1;
        }
        Self {
            negative,
            digits,
            count,
            exponent: exponent.parse().unwrap_or(0) + point as i32 - 1 - zeros as i32,
        }
    }

    fn push_sign(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
    }

    fn push_with_exponent(&self, out: &mut Vec<u8>) {
        self.push_sign(out);
        out.push(self.digits[0]);
        if self.count > 1 {
            out.push(b'.');
            out.extend_from_slice(&self.digits[1..self.count]);
        }
        out.push(b'e');
        push_integer(out, self.exponent.into());
    }

    fn push_plain(&self, out: &mut Vec<u8>, whole: Whole) {
        self.push_sign(out);
        let digits = &self.digits[..self.count];
        match usize::try_from(self.exponent + 1) {
            Err(_) | Ok(0) => {
                out.extend_from_slice(b"0.");
                out.resize(out.len() + (-1 - self.exponent) as usize, b'0');
                out.extend_from_slice(digits);
            }
            Ok(before) if before < self.count => {
                out.extend_from_slice(&digits[..before]);
                out.push(b'.');
                out.extend_from_slice(&digits[before..]);
            }
            Ok(before) => {
                out.extend_from_slice(digits);
                out.resize(out.len() + before - self.count, b'0');
                if whole == Whole::Point {
                    out.extend_from_slice(b".0");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn text(push: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        push(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn float(value: f32) -> String {
        text(|out| push_shortest_float(out, value))
    }

    fn double(value: f64) -> String {
        text(|out| push_shortest_double(out, value))
    }

    /// Compares with the digits of the standard library, in all spellings.
    fn check_float(value: f32, new: &mut Vec<u8>, std: &mut Vec<u8>) {
        if !value.is_finite() {
            return;
        }
        new.clear();
        std.clear();
        push_shortest_float(new, value);
        new.push(b' ');
        push_float_constant(new, value);
        match is_plain(value.abs().into(), 1e7) {
            true => write!(std, "{value} {value:?}").unwrap(),
            false => write!(std, "{value:e} {value:?}").unwrap(),
        }
        assert_eq!(
            new,
            std,
            "{:#x}: {}",
            value.to_bits(),
            String::from_utf8_lossy(new)
        );
    }

    fn check_double(value: f64) {
        if !value.is_finite() {
            return;
        }
        let std = match is_plain(value.abs(), 1e15) {
            true => format!("{value}"),
            false => format!("{value:e}"),
        };
        assert_eq!(double(value), std);
        assert_eq!(text(|out| push_double_constant(out, value)), format!("{value:?}"));
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
            // Halfway between two decimals: rounds away from zero.
            (1000.0 + 1.0 / 16384.0, "1000.0000610351563"),
            (1000.0 + 3.0 / 16384.0, "1000.0001831054688"),
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

    #[test]
    fn floats_of_every_exponent() {
        let (mut new, mut std) = (Vec::new(), Vec::new());
        for high in 0..=u32::MAX >> 23 {
            for low in (0..64).chain((1 << 23) - 64..1 << 23) {
                check_float(f32::from_bits(high << 23 | low), &mut new, &mut std);
            }
        }
    }

    #[test]
    fn floats_of_all_significands() {
        // A prime step meets every significand's high and low bits in many combinations: a million floats in all.
        let (mut new, mut std) = (Vec::new(), Vec::new());
        for bits in (0..=u32::MAX).step_by(4099) {
            check_float(f32::from_bits(bits), &mut new, &mut std);
        }
    }

    #[test]
    fn powers_and_their_neighbours() {
        let (mut new, mut std) = (Vec::new(), Vec::new());
        let powers = (-325..=308).map(|power| format!("1e{power}").parse::<f64>().unwrap());
        let twos = (0..64).map(|at| (1u64 << at) as f64);
        for value in powers.chain(twos).flat_map(|v| [v, 3.0 * v, 5.0 * v, 12.0 * v]) {
            for value in [value, value.next_down(), value.next_up()] {
                check_double(value);
                check_double(-value);
                let value = value as f32;
                for value in [value, value.next_down(), value.next_up()] {
                    check_float(value, &mut new, &mut std);
                    check_double(value.into());
                }
            }
        }
        for high in 0..=u64::MAX >> 52 {
            for low in [0, 1, 2, (1 << 51), (1 << 52) - 2, (1 << 52) - 1] {
                check_double(f64::from_bits(high << 52 | low));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50_000))]

        #[test]
        fn doubles_as_the_standard_library_has_them(bits: u64, zeros in 0..52) {
            check_double(f64::from_bits(bits));
            check_double(f64::from_bits(bits >> zeros << zeros));
            // Few decimal places, so that it may be halfway between two decimals.
            check_double((bits >> (zeros % 11 + 11) | 1u64) as f64 / (1u64 << (zeros % 28)) as f64);
            check_double(f64::from(f32::from_bits(bits as u32)));
            // Subnormal.
            check_double(f64::from_bits(bits >> (12 + zeros)));
        }

        #[test]
        fn short_decimals(whole: i64, cut in 0..63, scale in -30..30) {
            let whole = whole >> cut;
            check_double(whole as f64);
            check_double(format!("{whole}e{scale}").parse().unwrap());
            let (mut new, mut std) = (Vec::new(), Vec::new());
            check_float(whole as f32, &mut new, &mut std);
            check_float(format!("{whole}e{scale}").parse().unwrap(), &mut new, &mut std);
        }

        #[test]
        fn any_spelling_of_a_number_is_parsed(bits: u64, whole in 1i64..1 << 50, places in 0..15) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite() && value != 0.0);
            let exponent = text(|out| Decimal::parse(format!("{value:e}").as_bytes()).push_with_exponent(out));
            prop_assert_eq!(exponent, format!("{value:e}"));
            let value = whole as f64 / 10f64.powi(places);
            let plain = |whole| text(|out| Decimal::parse(format!("{value:e}").as_bytes()).push_plain(out, whole));
            prop_assert_eq!(plain(Whole::Digits), format!("{value}"));
            prop_assert_eq!(plain(Whole::Point).parse::<f64>().unwrap(), value);
            let exponent = text(|out| Decimal::parse(format!("{value}").as_bytes()).push_with_exponent(out));
            prop_assert_eq!(exponent, format!("{value:e}"));
        }
    }
}
