//! The bits that each algorithm keeps of a float.
//!
//! The formulas are those of netCDF-C 4.9: Zender, Geosci. Model Dev. 9, 3199 (2016) for BitGroom; Delaunay et al., Geosci.
//! Model Dev. 12, 4099 (2019) for granular rounding, with one bit less; Kouznetsov, Geosci. Model Dev. 14, 377 (2021) for
//! BitRound.

use std::f64::consts::{LN_2, LN_10};

use super::algorithm::{Algorithm, Quantization};

/// Bits of the mantissa that are stored.
pub const FLOAT_BITS: u32 = 23;
pub const DOUBLE_BITS: u32 = 52;

const BITS_PER_DIGIT: f64 = LN_10 / LN_2;
const DIGITS_PER_BIT: f64 = LN_2 / LN_10;

/// Number of the last bits that an algorithm changes in all values of a type with `mantissa` bits. Granular BitRound
/// decides for each value: see [`granular_bits`].
pub fn dropped_bits(quantization: Quantization, mantissa: u32) -> u32 {
    let keep = match quantization.algorithm {
        Algorithm::BitRound => quantization.keep,
        Algorithm::BitGroom | Algorithm::GranularBitRound => {
            // One bit more, although one is implicit: rounding may cost one.
            (f64::from(quantization.keep) * BITS_PER_DIGIT).ceil() as u32 + 1
        }
    };
    mantissa.saturating_sub(keep)
}

/// Number of the last bits that Granular BitRound changes in `value`, which is finite and not zero.
pub fn granular_bits(value: f64, digits: u32, mantissa: u32) -> u32 {
    let (fraction, exponent) = split(value.abs());
    let fraction_log = fraction.log10();
    let exponent = f64::from(exponent);
    let decimal_digits = (exponent * DIGITS_PER_BIT + fraction_log).floor() + 1.0;
    let power = (BITS_PER_DIGIT * (decimal_digits - f64::from(digits))).floor();
    let keep = ((exponent - BITS_PER_DIGIT * fraction_log).floor() - power).abs() - 1.0;
    mantissa.saturating_sub(keep.max(0.0) as u32)
}

/// A positive number as a fraction from 0.5 to 1, and a power of two: C's `frexp`.
fn split(value: f64) -> (f64, i32) {
    const BIAS: i32 = 1022;
    let (value, shift) = match value < f64::MIN_POSITIVE {
        true => (value * 2f64.powi(64), 64),
        false => (value, 0),
    };
    let bits = value.to_bits();
    let exponent = (bits >> DOUBLE_BITS) as i32 - BIAS - shift;
    let fraction = f64::from_bits(bits & ((1 << DOUBLE_BITS) - 1) | (BIAS as u64) << DOUBLE_BITS);
    (fraction, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_and_powers() {
        assert_eq!(split(1.0), (0.5, 1));
        assert_eq!(split(0.75), (0.75, 0));
        assert_eq!(split(10.0), (0.625, 4));
        assert_eq!(split(f64::from_bits(1)), (0.5, -1073));
    }
}
