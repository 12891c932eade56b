//! Blocks of integers: transform, order and coding, with and without loss.

use crate::Mode;
use crate::bit_reader::BitReader;
use crate::bit_writer::BitWriter;
use crate::embedded;
use crate::integer::Integer;
use crate::lift;
use crate::planes::Planes;

/// Least and most bits of the integers of a block.
#[derive(Clone, Copy)]
pub struct Bits {
    pub min: u32,
    pub max: u32,
}

impl Bits {
    /// The limits on whole blocks.
    pub fn of(mode: &Mode) -> Self {
        Self {
            min: mode.min_bits,
            max: mode.max_bits,
        }
    }

    /// What is left behind `used` bits. zfp lets the maximum wrap around where it is less than the bits with which each
    /// block begins, and then has none.
    pub fn behind(self, used: u32) -> Self {
        Self {
            min: self.min.saturating_sub(used),
            max: self.max.wrapping_sub(used),
        }
    }
}

/// Writes the highest `precision` bit planes. The block is used up.
pub fn encode<I: Integer, const ROWS: usize, const GROUPS: usize>(
    block: &mut [[I; ROWS]; GROUPS],
    bits: Bits,
    precision: u32,
    out: &mut BitWriter,
) {
    lift::forward(block.as_flattened_mut());
    let (planes, _) = Planes::of(block);
    let used = embedded::encode::<I, ROWS, GROUPS>(&planes, bits.max, precision, out);
    out.pad(bits.min.saturating_sub(used));
}

/// Reads what [`encode`] wrote with the same limits.
pub fn decode<I: Integer, const ROWS: usize, const GROUPS: usize>(
    bits: Bits,
    precision: u32,
    input: &mut BitReader,
) -> [[I; ROWS]; GROUPS] {
    let (planes, used) = embedded::decode::<I, ROWS, GROUPS>(bits.max, precision, input);
    input.skip(bits.min.saturating_sub(used));
    let mut block = planes.into_block::<I>();
    lift::inverse(block.as_flattened_mut());
    block
}

/// Writes all bit planes that are used, but at most `precision`. The block is used up.
pub fn encode_reversible<I: Integer, const ROWS: usize, const GROUPS: usize>(
    block: &mut [[I; ROWS]; GROUPS],
    bits: Bits,
    precision: u32,
    out: &mut BitWriter,
) {
    lift::forward_reversible(block.as_flattened_mut());
    let (planes, used) = Planes::of(block);
    let precision = used.min(precision).max(1);
    out.put(u64::from(precision) - 1, I::PRECISION_BITS);
    let bits = bits.behind(I::PRECISION_BITS);
    let used = embedded::encode::<I, ROWS, GROUPS>(&planes, bits.max, precision, out);
    out.pad(bits.min.saturating_sub(used));
}

/// Reads what [`encode_reversible`] wrote with the same limits.
pub fn decode_reversible<I: Integer, const ROWS: usize, const GROUPS: usize>(
    bits: Bits,
    input: &mut BitReader,
) -> [[I; ROWS]; GROUPS] {
    let precision = input.take(I::PRECISION_BITS) as u32 + 1;
    let bits = bits.behind(I::PRECISION_BITS);
    let (planes, used) = embedded::decode::<I, ROWS, GROUPS>(bits.max, precision, input);
    input.skip(bits.min.saturating_sub(used));
    let mut block = planes.into_block::<I>();
    lift::inverse_reversible(block.as_flattened_mut());
    block
}
