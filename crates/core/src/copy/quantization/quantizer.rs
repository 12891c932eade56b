//! [`Quantizer`]: a quantization, bound to one variable.

use super::algorithm::{Algorithm, Quantization};
use super::rounding::{DOUBLE_BITS, FLOAT_BITS, dropped_bits, granular_bits};
use crate::chunk::ChunkGrid;
use crate::error::Result;
use crate::model::{Endian, Type, VariableLayout, default_fill_value};

/// Quantizes the elements of one variable. Fill values, zeros, infinities and NaN stay as they are.
#[derive(Debug, Clone)]
pub(crate) struct Quantizer {
    quantization: Quantization,
    /// True for double, false for float.
    is_double: bool,
    big_endian: bool,
    /// The bits of the fill value.
    fill: u64,
    /// The shape of the variable.
    extent: Vec<u64>,
}

impl Quantizer {
    /// Quantizes a variable of type `ty`, float or double, that is stored as `layout`.
    pub fn new(quantization: Quantization, ty: Type, layout: &VariableLayout) -> Self {
        let fill = layout.fill.value.clone().or_else(|| default_fill_value(ty));
        let mut word = [0; 8];
        if let Some(fill) = fill
            && let Some(word) = word.get_mut(..fill.bytes.len())
        {
            word.copy_from_slice(&fill.bytes);
        }
        Self {
            quantization,
            is_double: ty == Type::Double,
            big_endian: layout.endian == Endian::Big,
            fill: u64::from_le_bytes(word),
            extent: layout.extent.clone(),
        }
    }

    /// Bytes of an element.
    pub fn element_size(&self) -> u64 {
        if self.is_double { 8 } else { 4 }
    }

    /// Quantizes elements that follow each other in the variable, from element `first` in C order. `bytes` are as
    /// stored.
    pub fn run(&self, bytes: &mut [u8], first: u64) {
        if self.is_double {
            self.doubles(bytes, first);
        } else {
            self.floats(bytes, first);
        }
    }

    /// Quantizes a box of elements of shape `shape`, whose first is at `start`. Elements past the variable's end are
    /// fill values.
    ///
    /// # Errors
    /// A shape that is larger than memory.
    pub fn region(&self, bytes: &mut [u8], shape: &[u64], start: &[u64]) -> Result<()> {
        let Some((row, outer)) = shape.split_last() else {
            self.run(bytes, 0);
            return Ok(());
        };
        let length = usize::try_from(*row).unwrap_or(usize::MAX);
        let length = length.saturating_mul(self.element_size() as usize);
        if bytes.is_empty() || length == 0 {
            return Ok(());
        }
        let rows = ChunkGrid::new(outer, &vec![1; outer.len()])?;
        for (n, row) in bytes.chunks_mut(length).enumerate() {
            // Only whether the place is even matters, so overflow does not.
            let mut place = 0u64;
            let within = rows.coordinates(n as u64);
            for (d, extent) in self.extent.iter().enumerate() {
                let at = start[d].wrapping_add(within.get(d).copied().unwrap_or(0));
                place = place.wrapping_mul(*extent).wrapping_add(at);
            }
            self.run(row, place);
        }
        Ok(())
    }
}

/// Defines the method for a type of float.
macro_rules! quantize {
    ($method:ident, $float:ty, $bits:ty, $mantissa:expr) => {
        fn $method(&self, bytes: &mut [u8], first: u64) {
            let fill = self.fill as $bits;
            let dropped = dropped_bits(self.quantization, $mantissa);
            for (n, element) in bytes.chunks_exact_mut(size_of::<$bits>()).enumerate() {
                let Ok(stored) = <[u8; size_of::<$bits>()]>::try_from(&*element) else {
                    continue;
                };
                let bits = match self.big_endian {
                    true => <$bits>::from_be_bytes(stored),
                    false => <$bits>::from_le_bytes(stored),
                };
                let value = <$float>::from_bits(bits);
                if value == <$float>::from_bits(fill) || value == 0.0 || !value.is_finite() {
                    continue;
                }
                let dropped = match self.quantization.algorithm {
                    Algorithm::GranularBitRound => {
                        granular_bits(f64::from(value), self.quantization.keep, $mantissa)
                    }
                    Algorithm::BitGroom | Algorithm::BitRound => dropped,
                };
                let low = ((1 as $bits) << dropped) - 1;
                let new = match self.quantization.algorithm {
                    Algorithm::BitGroom if first.wrapping_add(n as u64) % 2 == 1 => bits | low,
                    Algorithm::BitGroom => bits & !low,
                    // Half of the last bit that is kept; the carry may go on into the exponent.
                    Algorithm::GranularBitRound | Algorithm::BitRound => (bits + low.div_ceil(2)) & !low,
                };
                element.copy_from_slice(&match self.big_endian {
                    true => new.to_be_bytes(),
                    false => new.to_le_bytes(),
                });
            }
        }
    };
}

impl Quantizer {
    quantize!(floats, f32, u32, FLOAT_BITS);
    quantize!(doubles, f64, u64, DOUBLE_BITS);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Encoding, Fill, FillTime};

    fn quantizer(algorithm: Algorithm, keep: u32, extent: &[u64], endian: Endian) -> Quantizer {
        let layout = VariableLayout {
            endian,
            fill: Fill {
                value: None,
                explicit: false,
                no_fill: false,
                time: FillTime::IfSet,
                ..Fill::default()
            },
            ..VariableLayout::contiguous(extent.to_vec(), 4, Encoding::Numbers { unit: 4 })
        };
        let quantization = Quantization::new(algorithm, keep, Type::Float).unwrap();
        Quantizer::new(quantization, Type::Float, &layout)
    }

    fn stored(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn special_values_stay() {
        for algorithm in Algorithm::ALL {
            let values = [9.969_21e36, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
            let mut bytes = stored(&values);
            quantizer(algorithm, 2, &[6], Endian::Little).run(&mut bytes, 0);
            assert_eq!(bytes, stored(&values));
        }
    }

    #[test]
    fn places_are_those_in_the_variable() {
        // BitGroom alternates in C order of the variable, whatever the chunk.
        let values = [1.234_567; 12];
        let mut whole = stored(&values);
        let by = quantizer(Algorithm::BitGroom, 3, &[4, 3], Endian::Little);
        by.run(&mut whole, 0);
        let mut chunk = stored(&values[..4]);
        by.region(&mut chunk, &[2, 2], &[1, 1]).unwrap();
        let wanted = [&whole[16..24], &whole[28..36]].concat();
        assert_eq!(chunk, wanted);
    }

    #[test]
    fn byte_orders_agree() {
        for algorithm in Algorithm::ALL {
            let mut little = stored(&[2.345_678_9, -2.5e-3, 7.7e20]);
            let mut big: Vec<u8> = little.chunks(4).flat_map(|c| c.iter().rev().copied()).collect();
            quantizer(algorithm, 3, &[3], Endian::Little).run(&mut little, 0);
            quantizer(algorithm, 3, &[3], Endian::Big).run(&mut big, 0);
            let turned: Vec<u8> = big.chunks(4).flat_map(|c| c.iter().rev().copied()).collect();
            assert_eq!(little, turned);
        }
    }
}
