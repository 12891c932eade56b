//! The bytes that each string takes, in kinds where all strings of a variable take the same number.
//!
//! ```text
//! asked for ──────────────────────────────────────────────────┐
//! attributes, the input's own number, else 128 ─► the least ──┼─► VariableLayout::string_length
//! all values, and the fill value ─► the longest ──────────────┘
//! ```

use crate::chunk::{ChunkGrid, Region, element_count};
use crate::copy::plan::request::StringLength;
use crate::copy::strings::{cut_strings, longest_string};
use crate::error::{Error, Request, Result};
use crate::format::{Reader, Written};
use crate::model::{Attribute, SLOT_SIZE, Schema, Slot, Storage, Type, Values, VarId, VariableLayout};
use crate::threads::{self, in_order};

/// The bytes of each string of a variable whose values are all shorter, as in netCDF-C.
pub const DEFAULT_STRING_LENGTH: u64 = 128;

/// The attribute of a variable that replaces [`DEFAULT_STRING_LENGTH`].
const OF_VARIABLE: &str = "_nczarr_maxstrlen";

/// The global attribute that replaces [`DEFAULT_STRING_LENGTH`].
const OF_DATASET: &str = "_nczarr_default_maxstrlen";

/// The most bytes that a string can take where all strings of a variable take the same number: as in NumPy.
const MAX_STRING_LENGTH: u64 = i32::MAX as u64;

/// Most elements that one thread reads at once from a variable without chunks.
const SLAB: u64 = 16 << 10;

/// A value, by its length.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Longest {
    bytes: u64,
    /// Its index; `None` for the fill value.
    index: Option<Vec<u64>>,
}

impl Longest {
    fn name(&self) -> String {
        match &self.index {
            None => "the fill value".to_owned(),
            Some(index) if index.is_empty() => "the value".to_owned(),
            Some(index) => format!("the value at {index:?}"),
        }
    }
}

/// Sets the string length of variable `var` of `schema`, if it has strings and the kind has such lengths. `source` is the
/// variable of the input whose values it gets. Reads all of them, unless longer ones are to be cut.
///
/// # Errors
/// [`Error::Request`] for a value that is longer than asked for, which names its place; the errors of reading.
pub fn fit_strings(
    reader: &dyn Reader,
    source: Option<VarId>,
    schema: &Schema,
    var: VarId,
    layout: &mut VariableLayout,
    asked: Option<StringLength>,
) -> Result<()> {
    if !schema.kind.can().fixed_strings || schema.var(var).ty != Type::String {
        return Ok(());
    }
    if let Some(StringLength { bytes, .. }) = asked
        && bytes > MAX_STRING_LENGTH
    {
        return Err(Request::StringLength.error(format!(
            "{bytes} bytes are more than a string can take: {MAX_STRING_LENGTH}"
        )));
    }
    if let Some(StringLength { bytes, cut: true }) = asked {
        layout.string_length = Some(bytes);
        if let Some(fill) = &mut layout.fill.value {
            cut_strings(fill, bytes);
        }
        return Ok(());
    }
    let fill = layout.fill.value.clone();
    layout.string_length = Some(fitted(reader, source, fill.as_ref(), asked, || {
        let own = || reader.layout(source?).string_length;
        number(&schema.var(var).attributes, OF_VARIABLE)
            .or_else(|| number(&schema.groups[0].attributes, OF_DATASET))
            .or_else(own)
            .unwrap_or(DEFAULT_STRING_LENGTH)
    })?);
    Ok(())
}

/// The characters that each string of variable `var` takes in an array of characters: as many as are asked for, else those
/// of the longest one or of the fill value, at least 1. Reads all of them, unless longer ones are to be cut.
///
/// # Errors
/// The errors of [`fit_strings`].
pub fn char_length(
    reader: &dyn Reader,
    var: VarId,
    fill: Option<&Values>,
    asked: Option<StringLength>,
) -> Result<u64> {
    match asked {
        Some(StringLength { bytes, cut: true }) => Ok(bytes),
        _ => fitted(reader, Some(var), fill, asked, || 1),
    }
}

/// The bytes that each string of `source` takes: as many as are asked for, else those of the longest one, and at least
/// `least`.
fn fitted(
    reader: &dyn Reader,
    source: Option<VarId>,
    fill: Option<&Values>,
    asked: Option<StringLength>,
    least: impl FnOnce() -> u64,
) -> Result<u64> {
    let longest = longest(reader, source, fill)?;
    if asked.is_none() && longest.bytes > MAX_STRING_LENGTH {
        return Err(Request::StringLength.error(format!(
            "{} takes {} bytes, more than a string can take: {MAX_STRING_LENGTH}; give 'N,cut'",
            longest.name(),
            longest.bytes
        )));
    }
    match asked {
        Some(asked) if longest.bytes > asked.bytes => Err(too_long(&longest, asked.bytes)),
        Some(asked) => Ok(asked.bytes),
        None => Ok(least().max(longest.bytes).max(1)),
    }
}

fn too_long(longest: &Longest, asked: u64) -> Error {
    let (what, bytes) = (longest.name(), longest.bytes);
    Request::StringLength.error(format!(
        "{what} takes {bytes} bytes, more than {asked}; give {bytes} or more, or '{asked},cut'"
    ))
}

/// The positive integer that an attribute holds, if a string can take as many bytes.
fn number(attributes: &[Attribute], name: &str) -> Option<u64> {
    let attribute = attributes.iter().find(|a| a.name == name && a.length == 1)?;
    let bytes = &attribute.values.bytes;
    let number = match attribute.ty {
        Type::Byte => i64::from(i8::from_le_bytes(*bytes.first_chunk()?)),
        Type::UByte => i64::from(*bytes.first()?),
        Type::Short => i64::from(i16::from_le_bytes(*bytes.first_chunk()?)),
        Type::UShort => i64::from(u16::from_le_bytes(*bytes.first_chunk()?)),
        Type::Int => i64::from(i32::from_le_bytes(*bytes.first_chunk()?)),
        Type::UInt => i64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
        Type::Int64 | Type::UInt64 => i64::from_le_bytes(*bytes.first_chunk()?),
        _ => return None,
    };
    u64::try_from(number)
        .ok()
        .filter(|number| (1..=MAX_STRING_LENGTH).contains(number))
}

/// The longest string of `source` and of the fill value. Of several, the first.
fn longest(reader: &dyn Reader, source: Option<VarId>, fill: Option<&Values>) -> Result<Longest> {
    let longest = Longest {
        bytes: fill.map_or(0, longest_string),
        index: None,
    };
    match source {
        None => Ok(longest),
        Some(var) => {
            let found = longest_of(reader, var)?;
            Ok(if found.bytes > longest.bytes {
                found
            } else {
                longest
            })
        }
    }
}

/// The longest string that is stored of a variable. All threads read it, one chunk or slab each.
fn longest_of(reader: &dyn Reader, var: VarId) -> Result<Longest> {
    let layout = reader.layout(var);
    let mut pieces = ReadPieces {
        grid: None,
        stored: None,
        count: element_count(&layout.extent).unwrap_or(u64::MAX).div_ceil(SLAB),
    };
    let written = reader.written(var)?;
    if written == Written::Nothing {
        pieces.count = 0;
    } else if let Storage::Chunked { shape } = &layout.storage {
        let grid = ChunkGrid::new(&layout.extent, shape)?;
        pieces.count = grid.len();
        if let Written::Chunks(stored) = written {
            pieces.count = stored.len() as u64;
            pieces.stored = Some(stored);
        }
        pieces.grid = Some(grid);
    }
    let mut longest = Longest {
        bytes: 0,
        index: None,
    };
    let mut numbers = 0..pieces.count;
    in_order(
        threads::count().min(usize::try_from(pieces.count).unwrap_or(usize::MAX)),
        u64::MAX,
        || Ok(()),
        |()| Ok(numbers.next()),
        |(), n| {
            let regions = pieces.regions(n, &layout.extent);
            regions
                .iter()
                .map(|region| longest_in(reader, var, region))
                .collect::<Result<Vec<_>>>()
        },
        // In the order of pieces, so that the result does not depend on threads.
        |found| {
            for one in found {
                if one.bytes > longest.bytes {
                    longest = one;
                }
            }
            Ok(())
        },
    )?;
    Ok(longest)
}

/// The pieces in which a variable is read.
struct ReadPieces {
    /// The grid of its chunks, if it has chunks.
    grid: Option<ChunkGrid>,
    /// The chunks that are stored; `None` for all.
    stored: Option<Vec<u64>>,
    /// Number of pieces.
    count: u64,
}

impl ReadPieces {
    /// The regions of piece `n`.
    fn regions(&self, n: u64, extent: &[u64]) -> Vec<Region> {
        match &self.grid {
            None => Region::range(extent, n.saturating_mul(SLAB), SLAB),
            Some(grid) => {
                let stored = self.stored.as_ref();
                let chunk = stored.map_or(n, |stored| stored.get(n as usize).copied().unwrap_or(n));
                vec![grid.region(chunk)]
            }
        }
    }
}

/// The longest string of a region.
fn longest_in(reader: &dyn Reader, var: VarId, region: &Region) -> Result<Longest> {
    let values = reader.read_region(var, region)?;
    let mut longest = (0, 0);
    for (n, slot) in values.bytes.chunks_exact(SLOT_SIZE).enumerate() {
        let length = Slot::read(slot).length;
        if length > longest.0 {
            longest = (length, n as u64);
        }
    }
    let (bytes, mut n) = longest;
    let mut index = region.start.clone();
    for (at, count) in index.iter_mut().zip(&region.count).rev() {
        *at += n % (*count).max(1);
        n /= (*count).max(1);
    }
    Ok(Longest {
        bytes,
        index: Some(index),
    })
}

#[cfg(test)]
mod tests;
