//! Fast parsing of plain numbers, in bulk.
//!
//! A decimal of at most 19 digits is an integer `m` times a power of ten. If both are exact in binary, one
//! multiplication or division gives the correctly rounded result (Clinger's fast path). Nearly everything that ncdump
//! prints is of this kind. All other decimals go through the standard library, which also rounds correctly. A `float`
//! is the nearest to the text itself. In netCDF-C it is the nearest to the `double` nearest to the text.

use crate::model::Type;

use super::lexer::is_blank;

/// The powers of ten that are exact in binary64.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The powers of ten that are exact in binary32.
const SHORT_TENS: [f32; 11] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

/// The low bits of a binary64 that a binary32 does not have.
const LOST: u64 = (1 << 29) - 1;

/// True if `byte` may follow a number.
pub fn ends_number(byte: Option<&u8>) -> bool {
    matches!(
        byte,
        None | Some(b',' | b' ' | b'\n' | b'\r' | b'\t' | b'}' | b';' | 0x0b | 0x0c)
    )
}

/// The parts of a decimal.
struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
    length: usize,
}

/// Splits the plain decimal at the beginning of `bytes`. `None` if there are no digits, more than 19, leading zeros (it
/// may be octal), a suffix, or anything else that the lexer must decide.
#[inline]
fn decimal(bytes: &[u8]) -> Option<Decimal> {
    let digit = |at: usize| -> Option<u64> {
        let d = bytes.get(at)?.wrapping_sub(b'0');
        (d < 10).then_some(u64::from(d))
    };
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut at = start;
    let mut digits = 0u64;
    while let Some(d) = digit(at) {
        digits = digits.wrapping_mul(10).wrapping_add(d);
        at += 1;
    }
    let whole = at - start;
    if whole > 1 && bytes[start] == b'0' {
        return None;
    }
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let point = at;
        while let Some(d) = digit(at) {
            digits = digits.wrapping_mul(10).wrapping_add(d);
            at += 1;
        }
        fraction = at - point;
    }
    if whole + fraction == 0 || whole + fraction > 19 {
        return None;
    }
    let mut exponent = 0i32;
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        let minus = bytes.get(at) == Some(&b'-');
        at += usize::from(minus || bytes.get(at) == Some(&b'+'));
        let first = at;
        while let Some(d) = digit(at) {
            exponent = exponent * 10 + d as i32;
            at += 1;
            if at - first > 5 {
                return None;
            }
        }
        if at == first {
            return None;
        }
        if minus {
            exponent = -exponent;
        }
    }
    ends_number(bytes.get(at)).then_some(Decimal {
        negative,
        digits,
        exponent: exponent - fraction as i32,
        length: at,
    })
}

fn standard<T: std::str::FromStr>(spelled: &[u8]) -> Option<T> {
    std::str::from_utf8(spelled).ok()?.parse().ok()
}

/// Parses the plain decimal at the beginning of `bytes`, and returns its length too. `None` if it is infinite.
#[inline]
pub fn double(bytes: &[u8]) -> Option<(f64, usize)> {
    let d = decimal(bytes)?;
    let power = d.exponent.unsigned_abs() as usize;
    if d.digits > 1 << 53 || power >= TENS.len() {
        let value = binary64(std::str::from_utf8(&bytes[..d.length]).ok()?)?;
        return value.is_finite().then_some((value, d.length));
    }
    let m = d.digits as f64;
    let value = if d.exponent < 0 {
        m / TENS[power]
    } else {
        m * TENS[power]
    };
    Some((if d.negative { -value } else { value }, d.length))
}

/// The binary64 that a decimal spells. The largest finite value, rounded up to 8 to 16 digits, lies above itself
/// (ncdump prints 1.79769313486232e+308). Such a decimal is the largest value. All others above it are infinite.
pub fn binary64(spelled: &str) -> Option<f64> {
    let value: f64 = spelled.parse().ok()?;
    if value.is_finite() {
        return Some(value);
    }
    let (mantissa, _) = spelled.split_once(['e', 'E']).unwrap_or((spelled, ""));
    let digits: Vec<u8> = mantissa
        .bytes()
        .filter(u8::is_ascii_digit)
        .skip_while(|d| *d == b'0')
        .collect();
    // With 17 digits, the largest value is not rounded up.
    if !(8..17).contains(&digits.len()) {
        return Some(value);
    }
    let largest = format!("{:.*e}", digits.len() - 1, f64::MAX);
    let same_digits = largest
        .bytes()
        .take_while(|b| *b != b'e')
        .filter(u8::is_ascii_digit)
        .eq(digits.iter().copied());
    // A tenth of it must be finite, which shows that its power of ten is that of the largest value.
    let scale = spelled
        .split_once(['e', 'E'])
        .and_then(|(m, e)| Some(format!("{m}e{}", e.parse::<i32>().ok()?.checked_sub(1)?)));
    let tenth = scale.and_then(|s| s.parse::<f64>().ok()).unwrap_or(f64::INFINITY);
    Some(if same_digits && tenth.is_finite() {
        f64::MAX.copysign(value)
    } else {
        value
    })
}

/// Parses the plain decimal at the beginning of `bytes`, and returns its length too. `None` if it is infinite.
#[inline]
pub fn float(bytes: &[u8]) -> Option<(f32, usize)> {
    let d = decimal(bytes)?;
    let power = d.exponent.unsigned_abs() as usize;
    let value = if d.digits <= 1 << 24 && power < SHORT_TENS.len() {
        let m = d.digits as f32;
        if d.exponent < 0 {
            m / SHORT_TENS[power]
        } else {
            m * SHORT_TENS[power]
        }
    } else {
        match through_double(&d, power) {
            Some(value) => value,
            None => {
                let value: f32 = standard(&bytes[..d.length])?;
                return value.is_finite().then_some((value, d.length));
            }
        }
    };
    Some((if d.negative { -value } else { value }, d.length))
}

/// Rounds a decimal to binary32 through binary64. The binary64 nearest to the decimal lies on the same side as the
/// decimal of every midpoint between two binary32 values, so both round to the same one. `None` if the binary64 is such
/// a midpoint itself.
fn through_double(d: &Decimal, power: usize) -> Option<f32> {
    if d.digits > 1 << 53 || power >= TENS.len() {
        return None;
    }
    let m = d.digits as f64;
    let value = if d.exponent < 0 {
        m / TENS[power]
    } else {
        m * TENS[power]
    };
    let normal = value >= f64::from(f32::MIN_POSITIVE) || value == 0.0;
    (normal && value.to_bits() & LOST != (LOST + 1) >> 1).then_some(value as f32)
}

/// Parses the plain decimal integer of at most 18 digits at the beginning of `bytes`, and returns its length too.
#[inline]
pub fn integer(bytes: &[u8]) -> Option<(i64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut at = start;
    let mut value = 0i64;
    while let Some(d) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value.wrapping_mul(10).wrapping_add(i64::from(d));
        at += 1;
    }
    let digits = at - start;
    let plain = (1..=18).contains(&digits) && (digits == 1 || bytes[start] != b'0');
    // With more digits, `value` has overflowed, and negating it could overflow again.
    (plain && ends_number(bytes.get(at))).then(|| (if negative { -value } else { value }, at))
}

/// Parses the plain number at the beginning of `bytes` into `out` as the numeric type `ty`, and returns its length.
/// `None` if the lexer must parse it; `out` is then unchanged.
#[inline]
pub fn plain(ty: Type, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    match ty {
        Type::Float => put(float(bytes).map(|(v, n)| (v.to_le_bytes(), n)), out),
        Type::Double => put(double(bytes).map(|(v, n)| (v.to_le_bytes(), n)), out),
        Type::Byte => put(narrow::<1, true>(bytes), out),
        Type::UByte => put(narrow::<1, false>(bytes), out),
        Type::Short => put(narrow::<2, true>(bytes), out),
        Type::UShort => put(narrow::<2, false>(bytes), out),
        Type::Int => put(narrow::<4, true>(bytes), out),
        Type::UInt => put(narrow::<4, false>(bytes), out),
        Type::Int64 => put(narrow::<8, true>(bytes), out),
        Type::UInt64 => put(narrow::<8, false>(bytes), out),
        Type::Char | Type::String | Type::User(_) => None,
    }
}

#[inline]
fn put<const N: usize>(parsed: Option<([u8; N], usize)>, out: &mut [u8]) -> Option<usize> {
    let (value, length) = parsed?;
    out.copy_from_slice(&value);
    Some(length)
}

/// Parses an integer of `N` bytes. `None` for one outside of the type's range, which gives a warning or an error.
#[inline]
fn narrow<const N: usize, const SIGNED: bool>(bytes: &[u8]) -> Option<([u8; N], usize)> {
    let (value, length) = integer(bytes)?;
    let (least, most) = match (SIGNED, N) {
        (true, 8) => (i64::MIN, i64::MAX),
        (false, 8) => (0, i64::MAX),
        (true, _) => (-(1 << (8 * N - 1)), (1 << (8 * N - 1)) - 1),
        (false, _) => (0, (1 << (8 * N)) - 1),
    };
    if !(least..=most).contains(&value) {
        return None;
    }
    let mut out = [0; N];
    out.copy_from_slice(&value.to_le_bytes()[..N]);
    Some((out, length))
}

/// Result of [`run`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberRun {
    /// Number of numbers parsed.
    pub count: usize,
    /// Position after them.
    pub at: usize,
    /// True if the position is after a number. False if it is after a comma, or nothing was parsed.
    pub after_value: bool,
}

/// Parses numbers of type `ty`, separated by commas, from `at` on. Stops when `out` is full, or at the first number
/// that is not plain.
pub fn run(ty: Type, bytes: &[u8], at: usize, out: &mut [u8]) -> NumberRun {
    match ty {
        Type::Float => numbers(bytes, at, out, |b| float(b).map(|(v, n)| (v.to_le_bytes(), n))),
        Type::Double => numbers(bytes, at, out, |b| double(b).map(|(v, n)| (v.to_le_bytes(), n))),
        Type::Byte => numbers(bytes, at, out, narrow::<1, true>),
        Type::UByte => numbers(bytes, at, out, narrow::<1, false>),
        Type::Short => numbers(bytes, at, out, narrow::<2, true>),
        Type::UShort => numbers(bytes, at, out, narrow::<2, false>),
        Type::Int => numbers(bytes, at, out, narrow::<4, true>),
        Type::UInt => numbers(bytes, at, out, narrow::<4, false>),
        Type::Int64 => numbers(bytes, at, out, narrow::<8, true>),
        Type::UInt64 => numbers(bytes, at, out, narrow::<8, false>),
        Type::Char | Type::String | Type::User(_) => NumberRun {
            count: 0,
            at,
            after_value: false,
        },
    }
}

#[inline]
fn numbers<const N: usize>(
    bytes: &[u8],
    mut at: usize,
    out: &mut [u8],
    parse: impl Fn(&[u8]) -> Option<([u8; N], usize)>,
) -> NumberRun {
    let mut count = 0;
    for slot in out.chunks_exact_mut(N) {
        at = behind_blanks(bytes, at);
        let Some((value, length)) = bytes.get(at..).and_then(&parse) else {
            break;
        };
        slot.copy_from_slice(&value);
        count += 1;
        at = behind_blanks(bytes, at + length);
        if bytes.get(at) != Some(&b',') {
            return NumberRun {
                count,
                at,
                after_value: true,
            };
        }
        at += 1;
    }
    NumberRun {
        count,
        at,
        after_value: false,
    }
}

#[inline]
fn behind_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|b| is_blank(*b)) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_plain_is_left_to_others() {
        for spelled in [
            "",
            "-",
            ".",
            "e5",
            "1e",
            "1e+",
            "010",
            "00.5",
            "1f",
            "0x10",
            "nan",
            "1/",
            "12345678901234567890",
            "+1",
        ] {
            assert!(double(spelled.as_bytes()).is_none(), "{spelled}");
            assert!(float(spelled.as_bytes()).is_none(), "{spelled}");
        }
        assert!(integer(b"1.5").is_none() && integer(b"1b").is_none() && integer(b"-").is_none());
    }

    #[test]
    fn minus_zero_keeps_its_sign() {
        assert_eq!(double(b"-0").unwrap().0.to_bits(), (-0.0f64).to_bits());
        assert_eq!(float(b"-0.0e3,").unwrap().0.to_bits(), (-0.0f32).to_bits());
    }

    #[test]
    fn the_largest_double_may_be_spelled_in_fewer_digits() {
        for digits in 8..=17 {
            let spelled = format!("{:.*e}", digits - 1, f64::MAX);
            assert!(double(spelled.as_bytes()).unwrap().0.is_finite(), "{spelled}");
            assert!(binary64(&format!("-{spelled}")).unwrap().is_finite(), "{spelled}");
        }
        assert_eq!(binary64("1.79769313486232e+308"), Some(f64::MAX));
        assert_eq!(binary64("-1.797693134862316e308"), Some(-f64::MAX));
        for infinite in [
            "1.8e308",
            "1.79769313486233e+308",
            "1.79769313486232e+309",
            "1e400",
            "2e308",
        ] {
            assert_eq!(binary64(infinite), Some(f64::INFINITY), "{infinite}");
        }
    }

    #[test]
    fn floats_are_rounded_once() {
        // Halfway between two binary32 but for a bit that a binary64 cannot hold.
        for spelled in [
            "1.00000017881393432617187499",
            "1.0000001788139343",
            "16777217",
            "8388608.5",
            "3.4028235677973366e38",
            "1.401298464324817e-45",
            "7.006492321624085e-46",
            "1e-38",
            "9007199791611905",
        ] {
            if let Some((value, _)) = float(spelled.as_bytes()) {
                assert_eq!(
                    value.to_bits(),
                    spelled.parse::<f32>().unwrap().to_bits(),
                    "{spelled}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_are_what_the_standard_library_reads(m in any::<i64>(), cut in 0usize..19, e in -50i32..50, exp in any::<bool>()) {
            let mut spelled = (m >> (cut * 3)).to_string();
            let digits = spelled.trim_start_matches('-').len();
            if cut < digits {
                spelled.insert(spelled.len() - cut, '.');
            }
            if exp {
                spelled += &format!("e{e}");
            }
            if let Some((value, length)) = double(spelled.as_bytes()) {
                prop_assert_eq!(value.to_bits(), spelled.parse::<f64>().unwrap().to_bits());
                prop_assert_eq!(length, spelled.len());
            }
            if let Some((value, _)) = float(spelled.as_bytes()) {
                prop_assert_eq!(value.to_bits(), spelled.parse::<f32>().unwrap().to_bits());
            }
        }

        #[test]
        fn what_ncdump_prints_of_a_float_is_plain(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            let spelled = format!("{value:.6e},");
            prop_assert_eq!(float(spelled.as_bytes()).unwrap().0.to_bits(), spelled.trim_end_matches(',').parse::<f32>().unwrap().to_bits());
            let spelled = format!("{value:e}");
            prop_assert_eq!(float(spelled.as_bytes()).unwrap().0.to_bits(), bits);
        }
    }
}
