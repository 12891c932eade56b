//! Converts floating-point formats other than IEEE 754 binary32 and binary64 to one of these.
//!
//! A format is described by the places of its sign, exponent and mantissa. A format whose numbers a `float`
//! or `double` holds exactly is converted to that. Any other is rounded to the nearest `double`, ties to
//! even, as a processor would do.

use ncutils_hdf5::{ByteOrder, FloatingPoint};

/// Largest format, in bytes.
const MAX_SIZE: u32 = 16;
/// Longest exponent, in bits.
const MAX_EXPONENT: u8 = 30;
/// Longest mantissa, in bits. With an implied bit it must fit into a number of 128 bits.
const MAX_MANTISSA: u8 = 126;

/// Mantissa normalization in which the first bit is not stored.
const IMPLIED: u8 = 2;

/// The type that holds the numbers of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// A `float` holds all of them.
    Float,
    /// A `double` holds all of them.
    Double,
    /// A `double` holds some. Others are rounded, or become infinite or zero.
    Rounded,
}

/// The type for a format of `size` bytes. `None` if its fields are too large or not within the bytes.
pub fn fit(format: &FloatingPoint, size: u32) -> Option<Fit> {
    let inside = |at: u8, length: u8| u32::from(at) + u32::from(length) <= size.saturating_mul(8);
    if !(1..=MAX_SIZE).contains(&size)
        || !(1..=MAX_EXPONENT).contains(&format.exponent_size)
        || !(1..=MAX_MANTISSA).contains(&format.mantissa_size)
        || !inside(format.sign_location, 1)
        || !inside(format.exponent_location, format.exponent_size)
        || !inside(format.mantissa_location, format.mantissa_size)
    {
        return None;
    }
    let digits = u32::from(format.mantissa_size) + u32::from(format.normalization == IMPLIED);
    let bias = i64::from(format.exponent_bias);
    let lowest = 1 - bias - i64::from(format.mantissa_size);
    let highest = largest_exponent(format) - i64::from(has_specials(format)) - bias;
    let holds = |precision, bottom, top| digits <= precision && lowest >= bottom && highest <= top;
    Some(if holds(24, -149, 127) {
        Fit::Float
    } else if holds(53, -1074, 1023) {
        Fit::Double
    } else {
        Fit::Rounded
    })
}

/// The exponent with all bits set, as stored.
fn largest_exponent(format: &FloatingPoint) -> i64 {
    (1 << format.exponent_size) - 1
}

/// True if the largest exponent stands for infinities and NaN. VAX formats have none.
fn has_specials(format: &FloatingPoint) -> bool {
    format.order != ByteOrder::Vax
}

/// The number that is stored as `raw`, in a format that [`fit`] accepts.
pub fn value(raw: u128, format: &FloatingPoint) -> f64 {
    let field = |at: u8, length: u8| raw >> at & ((1u128 << length) - 1);
    let negative = field(format.sign_location, 1) == 1;
    let exponent = field(format.exponent_location, format.exponent_size) as i64;
    let mantissa = field(format.mantissa_location, format.mantissa_size);
    let width = format.mantissa_size;
    let implied = format.normalization == IMPLIED;
    if exponent == largest_exponent(format) && has_specials(format) {
        let (fraction, width) = match implied {
            true => (mantissa, width),
            // The first bit is taken as one, whatever its value.
            false => (mantissa & ((1 << (width - 1)) - 1), width - 1),
        };
        return special(negative, fraction, width);
    }
    let significand = match implied && exponent != 0 {
        true => mantissa | 1 << width,
        false => mantissa,
    };
    // Without an implied bit, the first bit of the mantissa stands before the point. Numbers with the
    // smallest exponent continue those of the next exponent.
    let step = i64::from(!implied || exponent == 0);
    let scale = exponent + step - i64::from(format.exponent_bias) - i64::from(width);
    let magnitude = nearest(significand, scale);
    if negative { -magnitude } else { magnitude }
}

/// Infinity, or a NaN. The payload of a NaN keeps its leading bits, as in hardware conversions.
fn special(negative: bool, fraction: u128, width: u8) -> f64 {
    let payload = match (fraction, width) {
        (0, _) => 0,
        (_, ..=52) => (fraction as u64) << (52 - width),
        // A NaN must not become infinity when its low bits are dropped.
        (_, _) => ((fraction >> (width - 52)) as u64).max(1),
    };
    f64::from_bits(u64::from(negative) << 63 | 0x7FF << 52 | payload)
}

/// The double nearest to `significand × 2^scale`; ties go to the even one. Infinity if the number is too
/// large.
fn nearest(significand: u128, scale: i64) -> f64 {
    let Some(top) = significand.checked_ilog2() else {
        return 0.0;
    };
    // A double has 53 bits from its first one on, but none below 2^-1074.
    let bits = (i64::from(top) + scale + 1075).min(53);
    let dropped = i64::from(top) + 1 - bits;
    if bits < 0 {
        return 0.0;
    }
    if dropped <= 0 {
        return scaled(significand as u64 as f64, scale);
    }
    let kept = (significand >> dropped) as u64;
    let rest = significand & ((1 << dropped) - 1);
    let half = 1u128 << (dropped - 1);
    let up = rest > half || rest == half && kept & 1 == 1;
    scaled((kept + u64::from(up)) as f64, scale + dropped)
}

/// `value × 2^exponent`, which must be a double or infinite. Multiplies in steps that do not overflow or
/// underflow early.
fn scaled(mut value: f64, exponent: i64) -> f64 {
    let mut left = exponent.clamp(-4096, 4096) as i32;
    while left != 0 && value != 0.0 && value.is_finite() {
        let step = left.clamp(-900, 900);
        value *= 2f64.powi(step);
        left -= step;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(exponent: u8, mantissa: u8, bias: u32, normalization: u8) -> FloatingPoint {
        FloatingPoint {
            order: ByteOrder::Little,
            normalization,
            bit_offset: 0,
            precision: u16::from(exponent) + u16::from(mantissa) + 1,
            sign_location: exponent + mantissa,
            exponent_location: mantissa,
            exponent_size: exponent,
            mantissa_location: 0,
            mantissa_size: mantissa,
            exponent_bias: bias,
        }
    }

    #[test]
    fn what_holds_a_format() {
        for (fits, size, format) in [
            (Some(Fit::Float), 2, format(5, 10, 15, 2)),
            (Some(Fit::Float), 2, format(8, 7, 127, 2)),
            (Some(Fit::Float), 3, format(7, 16, 63, 2)),
            // As many bits as a float, but another range of exponents.
            (Some(Fit::Double), 4, format(8, 23, 128, 2)),
            (Some(Fit::Double), 4, format(8, 23, 126, 2)),
            (Some(Fit::Double), 8, format(11, 52, 1023, 2)),
            (Some(Fit::Rounded), 8, format(11, 52, 1024, 2)),
            (Some(Fit::Rounded), 4, format(15, 16, 16383, 2)),
            (Some(Fit::Rounded), 10, format(15, 64, 16383, 0)),
            (Some(Fit::Rounded), 16, format(15, 112, 16383, 2)),
            (None, 9, format(15, 64, 16383, 0)),
            (None, 17, format(15, 112, 16383, 2)),
            (None, 8, format(40, 10, 0, 2)),
        ] {
            assert_eq!(fit(&format, size), fits, "{format:?}");
        }
    }

    #[test]
    fn every_double_comes_back_from_wider_formats() {
        let (x87, quad) = (format(15, 64, 16383, 0), format(15, 112, 16383, 2));
        for bits in [
            0,
            1.0f64.to_bits(),
            (-0.1f64).to_bits(),
            f64::MAX.to_bits(),
            f64::MIN_POSITIVE.to_bits(),
            f64::INFINITY.to_bits(),
            f64::NEG_INFINITY.to_bits(),
            0x7FF8_0000_0000_0001,
            (1 << 63) | 1,
            0x000F_FFFF_FFFF_FFFF,
        ] {
            let double = f64::from_bits(bits);
            let (exponent, fraction) = (bits >> 52 & 0x7FF, u128::from(bits & ((1 << 52) - 1)));
            let sign = u128::from(bits >> 63);
            // All of these numbers are normal there.
            let (wide, fraction) = match (exponent, fraction) {
                (0, 0) => (0, 0),
                (0, _) => {
                    let top = fraction.ilog2();
                    (
                        i64::from(top) - 1074 + 16383,
                        fraction << (52 - top) & ((1 << 52) - 1),
                    )
                }
                (0x7FF, _) => (0x7FFF, fraction),
                _ => (exponent as i64 - 1023 + 16383, fraction),
            };
            let wide = wide as u128;
            let first = u128::from(wide != 0) << 63;
            let found = value(sign << 79 | wide << 64 | first | fraction << 11, &x87);
            assert_eq!(found.to_bits(), bits, "{double} of the x87");
            let found = value(sign << 127 | wide << 112 | fraction << 60, &quad);
            assert_eq!(found.to_bits(), bits, "{double} of binary128");
        }
    }

    #[test]
    fn rounds_to_the_nearest_and_ties_to_even() {
        let one = 1u128 << 60;
        for (significand, expected) in [
            (one + (1 << 7), 1.0),
            (one + (1 << 7) + 1, 1.0 + f64::EPSILON),
            (one + (3 << 7), 1.0 + 2.0 * f64::EPSILON),
            (one * 2 - 1, 2.0),
        ] {
            assert_eq!(nearest(significand, -60), expected, "{significand:#x}");
        }
        let least = f64::from_bits(1);
        assert_eq!(nearest(1, -1074), least);
        assert_eq!(nearest(1, -1075), 0.0);
        assert_eq!(nearest(3, -1076), least);
        assert_eq!(nearest(3, -1075), 2.0 * least);
        assert_eq!(nearest(u128::MAX, -10_000), 0.0);
        assert_eq!(nearest(1, 1023), 2f64.powi(1023));
        assert_eq!(nearest(1, 1024), f64::INFINITY);
        assert_eq!(nearest((1 << 54) - 1, 970), f64::INFINITY);
        assert_eq!(nearest(1, 1 << 40), f64::INFINITY);
    }

    #[test]
    fn a_nan_stays_one_when_its_payload_is_cut() {
        assert!(value(0x7FFF << 112 | 1, &format(15, 112, 16383, 2)).is_nan());
        assert!(value(0x7FFF << 64 | 1 << 63 | 1, &format(15, 64, 16383, 0)).is_nan());
    }
}
