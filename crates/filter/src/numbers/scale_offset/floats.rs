//! Floats ◄─► codes by D-scaling: the distance from the smallest float of the chunk, times a power of ten, rounded to an
//! integer.
//!
//! All computing is done in the floats' own type, in the order in which libhdf5 does it, so that codes and decoded floats
//! equal its own.

use crate::Outcome;
use crate::numbers::scale_offset::elements;
use crate::numbers::scale_offset::packing::{Header, Packer, bits_of, highest, unpack};
use crate::numbers::scale_offset::parameters::Parameters;

/// A type of floats.
trait Float: Copy + PartialOrd {
    const ZERO: Self;
    /// The distance at which codes no longer fit in an integer of the float's size.
    const RANGE: f64;
    fn from_stored(bits: u64) -> Self;
    fn stored(self) -> u64;
    /// The nearest float to a double.
    fn nearest(number: f64) -> Self;
    /// True if `self` and `fill` are less than `precision` apart.
    fn is_near(self, fill: Self, precision: Self) -> bool;
    /// `self` times `scale`, minus `minimum` times `scale`.
    fn distance(self, minimum: Self, scale: Self) -> f64;
    /// `code` divided by `scale`, plus `minimum`.
    fn from_code(code: u64, minimum: Self, scale: Self) -> Self;
}

macro_rules! float {
    ($ty:ty, $bits:ty, $range:expr) => {
        impl Float for $ty {
            const ZERO: Self = 0.0;
            const RANGE: f64 = $range;
            fn from_stored(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }
            fn stored(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn nearest(number: f64) -> Self {
                number as Self
            }
            fn is_near(self, fill: Self, precision: Self) -> bool {
                (self - fill).abs() < precision
            }
            fn distance(self, minimum: Self, scale: Self) -> f64 {
                f64::from(self * scale - minimum * scale)
            }
            fn from_code(code: u64, minimum: Self, scale: Self) -> Self {
                code as Self / scale + minimum
            }
        }
    };
}

float!(f32, u32, 2_147_483_648.0);
float!(f64, u64, 9_223_372_036_854_775_808.0);

/// The power of ten with this exponent.
fn power_of_ten(exponent: i64) -> f64 {
    // The parser rounds correctly, which `powi` does not.
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// Encodes a chunk. `factor` is the number of decimals to keep.
///
/// # Errors
/// Numbers that codes cannot stand for: a NaN that would become another number, and a scale out of range.
pub(super) fn encode(parameters: &Parameters, factor: i32, input: &[u8], out: &mut Vec<u8>) -> Outcome {
    match parameters.size {
        4 => encode_as::<f32>(parameters, factor, input, out),
        _ => encode_as::<f64>(parameters, factor, input, out),
    }
}

fn encode_as<T: Float>(parameters: &Parameters, factor: i32, input: &[u8], out: &mut Vec<u8>) -> Outcome {
    let scale = T::nearest(power_of_ten(factor.into()));
    let precision = T::nearest(power_of_ten(-i64::from(factor)));
    let fill = parameters.fill.map(T::from_stored);
    let is_fill = |float: T| fill.is_some_and(|fill| float.is_near(fill, precision));
    let (mut range, mut has_nan) = (None, false);
    elements::for_each(parameters, input, |bits| {
        let float = T::from_stored(bits);
        #[allow(clippy::eq_op, reason = "only NaN differs from itself")]
        let nan = float != float;
        if nan {
            has_nan = true;
        } else if !is_fill(float) {
            let (low, high) = range.get_or_insert((float, float));
            if float < *low {
                *low = float;
            }
            if float > *high {
                *high = float;
            }
        }
    });
    let (low, high) = range.unwrap_or((T::ZERO, T::ZERO));
    let full = parameters.full_bits();
    let span = high.distance(low, scale).round();
    let header = if span > T::RANGE {
        Header {
            bits: full,
            minimum: 0,
        }
    } else {
        Header {
            bits: bits_of((span as u64).saturating_add(1 + u64::from(fill.is_some()))),
            minimum: low.stored(),
        }
    };
    if header.bits < full || span.is_nan() {
        if span.is_nan() || scale <= T::ZERO {
            return Err(format!(
                "10 to the power of {factor} is out of range for these floats"
            ));
        }
        if has_nan {
            return Err("a NaN has no code, and would become another number".to_owned());
        }
    }
    header.write(out);
    if header.bits >= full {
        elements::copy_from_little(parameters, input, out);
        return Ok(());
    }
    let mut packer = Packer::new(header.bits, out);
    elements::for_each(parameters, input, |bits| {
        let float = T::from_stored(bits);
        packer.push(match is_fill(float) {
            true => highest(header.bits),
            false => float.distance(low, scale).round() as i64 as u64,
        });
    });
    packer.finish();
    Ok(())
}

/// Decodes `count` codes of fewer bits than an element has.
pub(super) fn decode(
    parameters: &Parameters,
    factor: i32,
    header: Header,
    packed: &[u8],
    count: usize,
    out: &mut Vec<u8>,
) {
    match parameters.size {
        4 => decode_as::<f32>(parameters, factor, header, packed, count, out),
        _ => decode_as::<f64>(parameters, factor, header, packed, count, out),
    }
}

fn decode_as<T: Float>(
    parameters: &Parameters,
    factor: i32,
    header: Header,
    packed: &[u8],
    count: usize,
    out: &mut Vec<u8>,
) {
    out.reserve(count * parameters.size);
    let scale = T::nearest(power_of_ten(factor.into()));
    let minimum = T::from_stored(header.minimum);
    let fill_code = highest(header.bits);
    unpack(packed, header.bits, count, |code| {
        let element = match parameters.fill {
            Some(fill) if code == fill_code => fill,
            _ => T::from_code(code, minimum, scale).stored(),
        };
        elements::push(parameters, element, out);
    });
}
