//! Samples of a variable: chunks that are spread over it.

use crate::chunk::{ChunkGrid, Region, swap_units};
use crate::error::Result;
use crate::format::read_region::swap_unit;
use crate::format::{Reader, Written};
use crate::model::{Encoding, Storage, VarId, VariableLayout};

/// Most bytes of a sample. Of a larger chunk the slowest dimensions are cut.
const SAMPLE_BYTES: u64 = 512 << 10;

/// Decoded bytes of at most `most` chunks that are spread over the variable, each with its shape, in the output's byte order. None if the
/// variable has no data, or its elements are not moved as bytes.
pub fn samples(
    reader: &dyn Reader,
    source: VarId,
    layout: &VariableLayout,
    most: u64,
) -> Result<Vec<(Vec<u64>, Vec<u8>)>> {
    let from = reader.layout(source);
    let Storage::Chunked { shape } = &layout.storage else {
        return Ok(Vec::new());
    };
    let is_plain = from.encoding == layout.encoding && from.encoding != Encoding::Structured;
    if !is_plain || from.extent != layout.extent || reader.written(source)? == Written::Nothing {
        return Ok(Vec::new());
    }
    let grid = ChunkGrid::new(&layout.extent, shape)?;
    let count = grid.len().min(most);
    let mut samples = Vec::new();
    for n in 0..count {
        // The middle of each of equal parts.
        let middle = u128::from(2 * n + 1) * u128::from(grid.len()) / u128::from(2 * count);
        let region = sample(grid.region(middle as u64), layout.element_size);
        let mut bytes = reader.read_region(source, &region)?.bytes;
        swap_units(&mut bytes, swap_unit(layout));
        samples.push((region.count, bytes));
    }
    Ok(samples)
}

/// A part of a chunk that is small enough for a sample.
fn sample(mut region: Region, element_size: usize) -> Region {
    let size = |region: &Region| {
        let count = region.element_count().unwrap_or(u64::MAX);
        count.saturating_mul(element_size as u64)
    };
    while size(&region) > SAMPLE_BYTES
        && let Some(length) = region.count.iter_mut().find(|length| **length > 1)
    {
        *length = length.div_ceil(2);
    }
    region
}
