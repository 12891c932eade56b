//! Whether a stored variable has data, or fill values in its place.
//!
//! ```text
//! has_values        pieces of growing size, until one has another value
//! is_whole          the last element can be read: the file is not cut off
//! leaves_out_fill   each stored chunk has another value
//! ```

use crate::chunk::{ChunkGrid, Region};
use crate::error::Result;
use crate::format::{Reader, Written};
use crate::model::{SLOT_SIZE, Slot, Storage, Type, Values, VarId};

/// Elements of the first piece that is read, and of the largest.
const FIRST: u64 = 1 << 10;
const LARGEST: u64 = 1 << 18;

/// True if a variable has an element that is not its fill value.
///
/// # Errors
/// Data that cannot be read.
pub fn has_values(reader: &dyn Reader, var: VarId) -> Result<bool> {
    if reader.written(var)? == Written::Nothing {
        return Ok(false);
    }
    let extent = &reader.layout(var).extent;
    let count = Region::whole(extent).element_count().unwrap_or(u64::MAX);
    let (mut at, mut length) = (0, FIRST);
    while at < count {
        for region in Region::range(extent, at, length.min(count - at)) {
            if !is_fill(reader, var, &region)? {
                return Ok(true);
            }
        }
        at = at.saturating_add(length);
        length = (length * 4).min(LARGEST);
    }
    Ok(false)
}

/// True if the last element of a variable can be read, or there is none.
pub fn is_whole(reader: &dyn Reader, var: VarId) -> bool {
    let extent = &reader.layout(var).extent;
    if extent.contains(&0) {
        return true;
    }
    let last: Vec<u64> = extent.iter().map(|length| length - 1).collect();
    let region = Region::new(&last, &vec![1; last.len()]);
    reader.read_region(var, &region).is_ok()
}

/// True if each stored chunk of a variable has an element that is not its fill value.
///
/// # Errors
/// Data that cannot be read.
pub fn leaves_out_fill(reader: &dyn Reader, var: VarId) -> Result<bool> {
    let layout = reader.layout(var);
    let Storage::Chunked { shape } = &layout.storage else {
        return Ok(true);
    };
    let grid = ChunkGrid::new(&layout.extent, shape)?;
    for chunk in reader.written(var)?.chunks(&grid) {
        if is_fill(reader, var, &grid.region(chunk))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_fill(reader: &dyn Reader, var: VarId, region: &Region) -> Result<bool> {
    let Values { bytes, heap } = reader.read_region(var, region)?;
    let fill = reader.layout(var).fill.value.as_ref();
    Ok(match fill {
        _ if reader.schema().var(var).ty == Type::String => {
            fill.is_none_or(|fill| fill.heap.is_empty())
                && bytes
                    .chunks_exact(SLOT_SIZE)
                    .all(|slot| Slot::read(slot).length == 0)
        }
        None => bytes.iter().all(|byte| *byte == 0),
        Some(fill) if fill.bytes.is_empty() => false,
        Some(fill) => {
            heap.is_empty()
                && fill.heap.is_empty()
                && bytes
                    .chunks(fill.bytes.len())
                    .all(|element| element == fill.bytes)
        }
    })
}
