//! The first significant decimal digits of a double, correctly rounded, for `%g`, `%e` and similar formats.
//!
//! A finite `value` is `m × 2^e`. To get `count` digits, it is multiplied by a power of ten, `10^q`, so that
//! the whole part has that many digits:
//!
//! ```text
//! m (64 bits, top bit set) × 10^q (128 bits, top bit set) = 192 bits = whole part · fraction
//! ```
//!
//! The fraction decides the rounding; ties go to even, like glibc's default. Powers of ten from 0 to 55 are
//! exact. The others are too small by less than a known bound. If the fraction is closer to one half than
//! this bound, the method cannot decide and returns `None`.

/// Most digits that [`significant`] returns.
pub const MAX_DIGITS: usize = 17;

/// Digits and their place: `digits × 10^(exponent − count + 1)`, where `digits` has exactly `count` digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    /// All digits as one number.
    pub digits: u64,
    /// The power of ten of the first digit.
    pub exponent: i32,
}

const MIN_POWER: i32 = -310;
const MAX_POWER: i32 = 342;

/// Powers from 0 to this one are exact: 5^55 < 2^128.
const MAX_EXACT: i32 = 55;

/// Largest error in the upper 128 bits of a product with an inexact power, which is too small. The power is
/// at most 342 steps away from 10^0. Each step loses less than one unit in its last place, which is at most 2
/// at the end, and the product loses less than 2 more.
const LOST: u128 = 2 * 342 + 2;

/// 10^q = `POWERS[q - MIN_POWER]` × 2^(`binary_exponent(q)` − 127), rounded down.
static POWERS: [u128; (MAX_POWER - MIN_POWER + 1) as usize] = powers();

const fn powers() -> [u128; (MAX_POWER - MIN_POWER + 1) as usize] {
    let mut table = [0u128; (MAX_POWER - MIN_POWER + 1) as usize];
    let one = (-MIN_POWER) as usize;
    table[one] = 1 << 127;
    let mut at = one;
    while at + 1 < table.len() {
        // × 5/4, or × 5/8 where that would take 129 bits.
        let x = table[at];
        table[at + 1] = match x.checked_add(x >> 2) {
            Some(more) => more,
            None => (x >> 3) * 5 + (((x & 7) * 5) >> 3),
        };
        at += 1;
    }
    at = one;
    while at > 0 {
        // × 4/5, or × 8/5 where that leaves the top bit clear.
        let x = table[at];
        let less = x - x.div_ceil(5);
        table[at - 1] = if less >> 127 == 1 {
            less
        } else {
            x + x / 5 * 3 + x % 5 * 3 / 5
        };
        at -= 1;
    }
    table
}

/// The decimal logarithm of 2, × 2^32.
const LOG10_2: i64 = 0x4D10_4D42;

/// The whole part of the binary logarithm of 10^q: log2(10) × 2^31 is 0x1_A934_F097.
const fn binary_exponent(q: i32) -> i32 {
    ((q as i64 * 0x1_A934_F097) >> 31) as i32
}

const TEN: [u64; 20] = {
    let mut table = [1; 20];
    let mut at = 1;
    while at < 20 {
        table[at] = table[at - 1] * 10;
        at += 1;
    }
    table
};

/// The first `count` digits of a finite value that is not zero, without its sign. `None` if this method
/// cannot decide the rounding.
///
/// # Panics
/// For a `count` of 0 or over [`MAX_DIGITS`].
pub fn significant(value: f64, count: usize) -> Option<Decimal> {
    assert!(count > 0 && count <= MAX_DIGITS);
    let bits = value.to_bits() & (u64::MAX >> 1);
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = match bits >> 52 {
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased as i32 - 1075),
    };
    let zeros = mantissa.leading_zeros();
    let mantissa = mantissa.checked_shl(zeros)?;
    // The value is mantissa × 2^(power − 63), that is 1.f × 2^power.
    let power = exponent + 63 - zeros as i32;
    // log2(1.f) is at least f: the estimate is right or, seldom, one too small.
    let log2 = (i64::from(power) << 20) + ((mantissa << 1) >> 44) as i64;
    let mut first = ((log2 * LOG10_2) >> 52) as i32;
    for _ in 0..3 {
        let scaled = scaled(mantissa, power, count as i32 - 1 - first)?;
        if scaled.whole >= TEN[count] {
            first += 1;
            continue;
        }
        if scaled.whole < TEN[count - 1] {
            first -= 1;
            continue;
        }
        let mut digits = scaled.whole + u64::from(scaled.up);
        if digits == TEN[count] {
            digits = TEN[count - 1];
            first += 1;
        }
        return Some(Decimal {
            digits,
            exponent: first,
        });
    }
    None
}

struct Scaled {
    whole: u64,
    /// True if the fraction rounds up.
    up: bool,
}

fn scaled(mantissa: u64, power: i32, q: i32) -> Option<Scaled> {
    if (-19..0).contains(&q) && (0..64).contains(&power) && mantissa << power << 1 == 0 {
        // A whole number: ties are common, and a division decides them.
        let (value, unit) = (mantissa >> (63 - power), TEN[-q as usize]);
        let (whole, rest) = (value / unit, value % unit);
        let up = rest > unit - rest || (rest == unit - rest && whole & 1 == 1);
        return Some(Scaled { whole, up });
    }
    let ten = *POWERS.get(usize::try_from(q - MIN_POWER).ok()?)?;
    let low = u128::from(mantissa) * (ten & u128::from(u64::MAX));
    let high = u128::from(mantissa) * (ten >> 64) + (low >> 64);
    let rest = low as u64;
    // high · rest / 2^64 is the value × 2^shift.
    let shift = 63 + 127 - 64 - power - binary_exponent(q);
    if !(1..128).contains(&shift) {
        return None;
    }
    let whole = high >> shift;
    let fraction = high & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let whole = u64::try_from(whole).ok()?;
    if (0..=MAX_EXACT).contains(&q) {
        let up = fraction > half || (fraction == half && (rest != 0 || whole & 1 == 1));
        return Some(Scaled { whole, up });
    }
    if fraction <= half && half - fraction <= LOST {
        return None;
    }
    Some(Scaled {
        whole,
        up: fraction > half,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares with the exact arithmetic of the standard library, which rounds ties to even.
    fn slowly(value: f64, count: usize) -> Decimal {
        let text = format!("{:.*e}", count - 1, value.abs());
        let (digits, exponent) = text.split_once('e').unwrap();
        Decimal {
            digits: digits.replace('.', "").parse().unwrap(),
            exponent: exponent.parse().unwrap(),
        }
    }

    fn check(value: f64, count: usize) {
        if let Some(found) = significant(value, count) {
            assert_eq!(found, slowly(value, count), "{value:e}, {count} digits");
        }
    }

    #[test]
    fn exact_powers_are_exact() {
        let mut five = 1u128;
        for q in 0..=MAX_EXACT {
            let power = POWERS[(q - MIN_POWER) as usize];
            assert_eq!(power >> power.trailing_zeros(), five);
            five = five.wrapping_mul(5);
        }
        assert!(POWERS.iter().all(|power| power >> 127 == 1));
    }

    #[test]
    fn ties_go_to_even() {
        for value in [
            0.5,
            1.5,
            2.5,
            0.125,
            0.375,
            1.0 / 1024.0,
            3.0 / 1024.0,
            25.0,
            35.0,
            16_777_215.0,
            16_777_205.0,
            12_345_678.5,
            9_007_199_254_740_993.0,
            18_446_744_073_709_549_568.0,
        ] {
            for count in 1..=MAX_DIGITS {
                assert!(significant(value, count).is_some());
                check(value, count);
            }
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        for value in [
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            1e23,
            1e22,
            1e23f64.next_down(),
            1e-310,
        ] {
            for count in 1..=MAX_DIGITS {
                check(value, count);
            }
        }
        for power in -320..=308 {
            let value: f64 = format!("1e{power}").parse().unwrap();
            for count in [1, 7, 15, 17] {
                check(value, count);
                check(f64::from_bits(value.to_bits() - 1), count);
                check(f64::from_bits(value.to_bits() + 1), count);
            }
        }
    }

    #[test]
    fn it_can_tell_nearly_always() {
        let mut bits = 0x9E37_79B9_7F4A_7C15u64;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let value = f64::from_bits(bits);
            if value.is_normal() && value.abs() > 1e-290 {
                assert!(
                    significant(value, 15).is_some() && significant(value, 17).is_some(),
                    "{value:e}"
                );
            }
            let value = f32::from_bits(bits as u32);
            if value.is_normal() {
                assert!(significant(value.into(), 7).is_some(), "{value:e}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn agrees_with_exact_arithmetic(bits: u64, count in 1usize..=MAX_DIGITS) {
            let value = f64::from_bits(bits);
            if value.is_finite() && value != 0.0 {
                check(value, count);
            }
        }

        #[test]
        fn agrees_for_floats(bits: u32, count in 1usize..=MAX_DIGITS) {
            let value = f32::from_bits(bits);
            if value.is_finite() && value != 0.0 {
                check(value.into(), count);
            }
        }

        #[test]
        fn agrees_for_short_decimals(whole in 1i64..100_000_000, scale in -12i32..12, count in 1usize..=MAX_DIGITS) {
            check(whole as f64 * 10f64.powi(scale), count);
            check(whole as f64 / 1024.0, count);
        }
    }
}
