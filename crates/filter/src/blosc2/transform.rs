//! The filters of C-Blosc2 that work on a block: byte shuffle, bit shuffle, delta.

use crate::Outcome;
use crate::shuffle::bitshuffle::transpose;
use crate::shuffle::shuffle::{shuffle, unshuffle};

/// Number of filters in a pipeline.
pub const SLOTS: usize = 6;

/// A filter of C-Blosc2's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Nothing to do.
    None,
    /// Bytes of equal significance come together.
    Shuffle,
    /// Bits of equal significance come together.
    Bitshuffle,
    /// Each block is combined with the first by exclusive or, and the first with itself, an element later.
    Delta,
    /// Low bits of floats were set to zero. There is nothing to undo.
    CutPrecision,
}

impl Filter {
    /// All, each at the place that is its number.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Shuffle,
        Self::Bitshuffle,
        Self::Delta,
        Self::CutPrecision,
    ];

    /// The filter with this number.
    pub fn of_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Calls `bits` for the elements that are whole groups of eight, and copies the rest.
fn by_bits(size: usize, input: &[u8], out: &mut Vec<u8>, bits: fn(usize, &[u8], &mut [u8])) {
    out.clear();
    out.extend(input);
    let whole = input.len() - input.len() % (8 * size);
    if whole > 0 {
        bits(size, &input[..whole], &mut out[..whole]);
    }
}

/// The size of what the delta filter takes for an element.
fn delta_unit(size: usize) -> usize {
    match size {
        2 | 4 => size,
        _ if size.is_multiple_of(8) => 8,
        _ => 1,
    }
}

/// Changes the first block by itself, an element later. `decoding` tells whether `block` still is to be made.
fn delta_of_itself(size: usize, block: &mut [u8], decoding: bool) {
    let unit = delta_unit(size);
    let whole = block.len() - block.len() % unit;
    if decoding {
        for at in unit..whole {
            block[at] ^= block[at - unit];
        }
    } else {
        for at in (unit..whole).rev() {
            block[at] ^= block[at - unit];
        }
    }
}

/// Changes a block by the first one.
fn delta_of_first(size: usize, block: &mut [u8], first: &[u8]) {
    let whole = block.len() - block.len() % delta_unit(size);
    for (byte, first) in block[..whole].iter_mut().zip(first) {
        *byte ^= first;
    }
}

/// Encodes a block by one filter. `first` is the first block as it was, `None` for the first block itself. `spare` is
/// overwritten.
pub fn forward(filter: Filter, size: usize, block: &mut Vec<u8>, first: Option<&[u8]>, spare: &mut Vec<u8>) {
    match filter {
        Filter::None | Filter::CutPrecision => return,
        Filter::Shuffle if size < 2 => return,
        Filter::Shuffle => shuffle(size, block, spare),
        Filter::Bitshuffle => by_bits(size, block, spare, transpose::split),
        Filter::Delta => {
            return match first {
                Some(first) => delta_of_first(size, block, first),
                None => delta_of_itself(size, block, false),
            };
        }
    }
    std::mem::swap(block, spare);
}

/// Decodes a block by the filters in reverse order. `first` is the first block decoded, `None` for the first block
/// itself.
pub fn backward(
    filters: &[Filter; SLOTS],
    size: usize,
    block: &mut Vec<u8>,
    first: Option<&[u8]>,
    spare: &mut Vec<u8>,
) {
    for filter in filters.iter().rev() {
        match filter {
            Filter::None | Filter::CutPrecision => continue,
            Filter::Shuffle if size < 2 => continue,
            Filter::Shuffle => unshuffle(size, block, spare),
            Filter::Bitshuffle => by_bits(size, block, spare, transpose::join),
            Filter::Delta => {
                match first {
                    Some(first) => delta_of_first(size, block, first),
                    None => delta_of_itself(size, block, true),
                }
                continue;
            }
        }
        std::mem::swap(block, spare);
    }
}

/// Reads the numbers of a chunk's filters.
///
/// # Errors
/// A filter that is not C-Blosc2's own, or that works on more than its block where another one follows.
pub fn parse(numbers: &[u8; SLOTS]) -> Outcome<[Filter; SLOTS]> {
    let mut filters = [Filter::None; SLOTS];
    let mut changed = false;
    for (filter, number) in filters.iter_mut().zip(numbers) {
        *filter = Filter::of_number(u32::from(*number))
            .ok_or_else(|| format!("its Blosc2 frame needs filter {number} of a user, which is not known"))?;
        if *filter == Filter::Delta && changed {
            return Err(
                "its Blosc2 frame has a delta filter after others, which is not supported".to_owned(),
            );
        }
        changed |= !matches!(filter, Filter::None | Filter::CutPrecision);
    }
    Ok(filters)
}
