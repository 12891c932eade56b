//! Leaving out chunks whose every element is the fill value (`nccopy --skip-fill`).

use super::chunk_target::{ChunkTarget, clip};
use crate::chunk::swap_units;
use crate::copy::strings::longest_string;
use crate::error::Result;
use crate::format::read_region::{fill_element, swap_unit};
use crate::model::Values;

/// Leaves a chunk out if each of its elements within the extent is the fill value. `data` has the shape `full`, in the
/// output's byte order. Returns true if the chunk is left out.
pub fn skip_fill(target: &ChunkTarget, chunk: u64, sequence: u64, data: &[u8], full: &[u64]) -> Result<bool> {
    let layout = target.layout;
    let mut element = fill_element(layout).to_vec();
    swap_units(&mut element, swap_unit(layout));
    let is_fill = |bytes: &[u8]| bytes.chunks_exact(element.len().max(1)).all(|one| one == element);
    let own = target.grid.region(chunk);
    let skips = match own.count == full {
        true => is_fill(data),
        false => {
            let mut inside = Vec::new();
            clip(data, full, &own.count, layout.element_size, &mut inside)?;
            is_fill(&inside)
        }
    };
    if skips {
        target.sink.skip_chunk(sequence, target.var, chunk)?;
    }
    Ok(skips)
}

/// Leaves a chunk of strings out if all are empty. Returns true if it is left out.
pub fn skip_empty(target: &ChunkTarget, chunk: u64, sequence: u64, strings: &Values) -> Result<bool> {
    let skips = longest_string(strings) == 0;
    if skips {
        target.sink.skip_chunk(sequence, target.var, chunk)?;
    }
    Ok(skips)
}
