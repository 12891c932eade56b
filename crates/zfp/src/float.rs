//! Blocks of floats: integers with a common exponent, or in the reversible mode the bits of the floats as integers.
//!
//! zfp 1.0, "Algorithm", steps 2 and 3; "Reversible mode".

use crate::Mode;
use crate::bit_reader::BitReader;
use crate::bit_writer::BitWriter;
use crate::block::{self, Bits};
use crate::integer::Integer;

/// A float that has as many bits as an integer.
pub trait Float: Copy + Default {
    /// The integer.
    type Integer: Integer;
    /// Bits of the exponent.
    const EXPONENT_BITS: u32;
    /// The exponent field of 1.
    const BIAS: i32 = (1 << (Self::EXPONENT_BITS - 1)) - 1;
    /// Infinity, as [`Float::magnitude`].
    const INFINITY: Self::Integer;

    /// The bits without the sign.
    fn magnitude(self) -> Self::Integer;
    /// The exponent field of [`Float::magnitude`].
    fn exponent_field(magnitude: Self::Integer) -> i32;
    /// 2 to the power of `exponent`: infinity if it is too large, 0 if it is too small.
    fn power_of_two(exponent: i32) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The integer next to it towards zero.
    fn truncated(self) -> Self::Integer;
    /// The closest float.
    fn of(integer: Self::Integer) -> Self;
    /// The bits as an integer that has the order of the floats.
    fn to_ordered(self) -> Self::Integer;
    /// Undoes [`Float::to_ordered`].
    fn from_ordered(integer: Self::Integer) -> Self;
    /// True if all bits are the same.
    fn is_same(self, other: Self) -> bool;
}

macro_rules! float {
    ($float:ty, $integer:ty, $unsigned:ty) => {
        impl Float for $float {
            type Integer = $integer;
            const EXPONENT_BITS: u32 = <$integer>::BITS - <$float>::MANTISSA_DIGITS;
            const INFINITY: $integer = <$float>::INFINITY.to_bits() as $integer;

            #[inline(always)]
            fn magnitude(self) -> $integer {
                (self.to_bits() & (<$unsigned>::MAX >> 1)) as $integer
            }

            #[inline(always)]
            fn exponent_field(magnitude: $integer) -> i32 {
                (magnitude >> (<$float>::MANTISSA_DIGITS - 1)) as i32
            }

            #[inline(always)]
            fn power_of_two(exponent: i32) -> Self {
                const MANTISSA_BITS: u32 = <$float>::MANTISSA_DIGITS - 1;
                let field = exponent + Self::BIAS;
                if field > 2 * Self::BIAS {
                    return <$float>::INFINITY;
                }
                if field > 0 {
                    return <$float>::from_bits((field as $unsigned) << MANTISSA_BITS);
                }
                // One bit of a subnormal number.
                let bit = field - 1 + MANTISSA_BITS as i32;
                <$float>::from_bits(if bit < 0 { 0 } else { 1 << bit })
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn truncated(self) -> $integer {
                self as $integer
            }

            #[inline(always)]
            fn of(integer: $integer) -> Self {
                integer as $float
            }

            #[inline(always)]
            fn to_ordered(self) -> $integer {
                let bits = self.to_bits() as $integer;
                bits ^ ((bits >> (<$integer>::BITS - 1)) & <$integer>::MAX)
            }

            #[inline(always)]
            fn from_ordered(integer: $integer) -> Self {
                let bits = integer ^ ((integer >> (<$integer>::BITS - 1)) & <$integer>::MAX);
                <$float>::from_bits(bits as $unsigned)
            }

            #[inline(always)]
            fn is_same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }
        }
    };
}

float!(f32, i32, u32);
float!(f64, i64, u64);

/// Exponent such that the absolute value of each number is below 2 to its power, and the largest is not below half of
/// that; `None` if a number is not finite. It is `-BIAS` if all are zero.
#[inline(always)]
fn common_exponent<F: Float>(block: &[F]) -> Option<i32> {
    let zero = F::Integer::default();
    let largest = block
        .iter()
        .fold(zero, |largest, float| largest.max(float.magnitude()));
    if largest >= F::INFINITY {
        return None;
    }
    // The exponent of subnormal numbers is that of the largest of them.
    Some(F::exponent_field(largest) - F::BIAS + i32::from(largest > zero))
}

/// Bits of the integers behind the point, for this exponent.
#[inline(always)]
fn fraction_bits<F: Float>(exponent: i32) -> i32 {
    F::Integer::BITS as i32 - 2 - exponent
}

/// The floats as integers with a common exponent, truncated.
#[inline(always)]
fn to_integers<F: Float, const ROWS: usize, const GROUPS: usize>(
    block: &[[F; ROWS]; GROUPS],
    exponent: i32,
) -> [[F::Integer; ROWS]; GROUPS] {
    let bits = fraction_bits::<F>(exponent);
    // The factor for very small numbers is not a float, so it is applied in two steps. zfp applies infinity, and loses
    // the numbers.
    let (first, second) = match bits > F::BIAS {
        true => (bits - F::BIAS, F::BIAS),
        false => (0, bits),
    };
    let (first, second) = (F::power_of_two(first), F::power_of_two(second));
    block.map(|row| row.map(|float| float.times(first).times(second).truncated()))
}

/// The floats of integers with a common exponent.
#[inline(always)]
fn to_floats<F: Float, const ROWS: usize, const GROUPS: usize>(
    block: &[[F::Integer; ROWS]; GROUPS],
    exponent: i32,
) -> [[F; ROWS]; GROUPS] {
    let factor = F::power_of_two(-fraction_bits::<F>(exponent));
    block.map(|row| row.map(|integer| factor.times(F::of(integer))))
}

/// Bit planes that a tolerance needs of a block.
#[inline(always)]
fn precision(mode: &Mode, exponent: i32, numbers: usize) -> u32 {
    // Two for each dimension, and two more.
    let guard = numbers.ilog2() as i32 + 2;
    let above = exponent.saturating_sub(mode.min_exponent).saturating_add(guard);
    mode.max_precision.min(above.max(0) as u32)
}

/// Writes a block. False if it has a number that is not finite, and the mode is not reversible.
#[inline(always)]
pub fn encode<F: Float, const ROWS: usize, const GROUPS: usize>(
    block: [[F; ROWS]; GROUPS],
    mode: &Mode,
    out: &mut BitWriter,
) -> bool {
    let bits = Bits::of(mode);
    let exponent = common_exponent(block.as_flattened());
    if mode.is_reversible() {
        encode_reversible(block, exponent, bits, mode.max_precision, out);
        return true;
    }
    let Some(exponent) = exponent else {
        return false;
    };
    let precision = precision(mode, exponent, ROWS * GROUPS);
    let field = (exponent + F::BIAS) as u64;
    if precision == 0 || field == 0 {
        out.put(0, 1);
        out.pad(bits.min.saturating_sub(1));
        return true;
    }
    let used = 1 + F::EXPONENT_BITS;
    out.put(field << 1 | 1, used);
    block::encode(
        &mut to_integers(&block, exponent),
        bits.behind(used),
        precision,
        out,
    );
    true
}

#[inline(always)]
fn encode_reversible<F: Float, const ROWS: usize, const GROUPS: usize>(
    block: [[F; ROWS]; GROUPS],
    exponent: Option<i32>,
    bits: Bits,
    precision: u32,
    out: &mut BitWriter,
) {
    let same = |made: &[[F; ROWS]; GROUPS]| {
        let pairs = made.as_flattened().iter().zip(block.as_flattened());
        pairs.fold(true, |same, (made, float)| same & made.is_same(*float))
    };
    // As zfp does it, without integers for very small numbers.
    let exponent =
        exponent.filter(|exponent| fraction_bits::<F>(*exponent) <= F::BIAS || *exponent == -F::BIAS);
    if exponent == Some(-F::BIAS) && same(&[[F::default(); ROWS]; GROUPS]) {
        out.put(0, 1);
        // Readers pass these bits, although zfp does not write them.
        out.pad(bits.min.saturating_sub(1));
        return;
    }
    if let Some(exponent) = exponent.filter(|exponent| *exponent != -F::BIAS) {
        let mut integers = to_integers(&block, exponent);
        if same(&to_floats(&integers, exponent)) {
            let used = 2 + F::EXPONENT_BITS;
            out.put(((exponent + F::BIAS) as u64) << 2 | 0b01, used);
            block::encode_reversible(&mut integers, bits.behind(used), precision, out);
            return;
        }
    }
    out.put(0b11, 2);
    let mut integers = block.map(|row| row.map(F::to_ordered));
    block::encode_reversible(&mut integers, bits.behind(2), precision, out);
}

/// Reads what [`encode`] wrote in the same mode.
#[inline(always)]
pub fn decode<F: Float, const ROWS: usize, const GROUPS: usize>(
    mode: &Mode,
    input: &mut BitReader,
) -> [[F; ROWS]; GROUPS] {
    let bits = Bits::of(mode);
    if !input.bit() {
        input.skip(bits.min.saturating_sub(1));
        return [[F::default(); ROWS]; GROUPS];
    }
    if mode.is_reversible() && input.bit() {
        return block::decode_reversible(bits.behind(2), input).map(|row| row.map(F::from_ordered));
    }
    let exponent = input.take(F::EXPONENT_BITS) as i32 - F::BIAS;
    if mode.is_reversible() {
        let used = 2 + F::EXPONENT_BITS;
        let integers = block::decode_reversible(bits.behind(used), input);
        return match exponent == -F::BIAS {
            true => [[F::default(); ROWS]; GROUPS],
            false => to_floats(&integers, exponent),
        };
    }
    let used = 1 + F::EXPONENT_BITS;
    let precision = precision(mode, exponent, ROWS * GROUPS);
    to_floats(&block::decode(bits.behind(used), precision, input), exponent)
}
