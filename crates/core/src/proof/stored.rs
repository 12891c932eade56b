//! [`Stored`]: the written parts of a variable, as boxes.

use super::Side;
use crate::chunk::{ChunkGrid, Region, copy_region};
use crate::error::{Error, Result};
use crate::format::Written;
use crate::model::Values;

/// The written parts of a variable.
pub(super) enum Stored {
    /// Everything.
    All,
    /// These chunks of the grid, ascending.
    Chunks(ChunkGrid, Vec<u64>),
    /// These boxes, which may overlap.
    Regions(Vec<Region>),
}

impl Stored {
    /// What was written of a variable.
    ///
    /// # Errors
    /// If the chunk index cannot be read.
    pub(super) fn of((reader, var): Side<'_>) -> Result<Self> {
        Ok(match reader.written(var)? {
            Written::All => Self::All,
            Written::Nothing => Self::Regions(Vec::new()),
            Written::Regions(regions) => Self::Regions(regions),
            Written::Chunks(chunks) => {
                let layout = reader.layout(var);
                Self::Chunks(ChunkGrid::new(&layout.extent, layout.chunk_shape())?, chunks)
            }
        })
    }

    /// The written boxes of a region; `None` if all of it was written.
    pub(super) fn within(&self, region: &Region) -> Option<Vec<Region>> {
        match self {
            Self::All => None,
            Self::Chunks(grid, chunks) => {
                let met = grid.chunks_in(region);
                let written = met.filter(|chunk| chunks.binary_search(chunk).is_ok());
                let parts: Vec<Region> = written
                    .filter_map(|chunk| grid.region(chunk).intersect(region))
                    .collect();
                let elements = |region: &Region| region.element_count().unwrap_or(u64::MAX);
                let all = parts.iter().map(elements).fold(0, u64::saturating_add);
                // Chunks do not overlap.
                (all < elements(region)).then_some(parts)
            }
            Self::Regions(regions) => {
                let parts: Vec<Region> = regions.iter().filter_map(|part| part.intersect(region)).collect();
                (!parts.contains(region)).then_some(parts)
            }
        }
    }
}

/// Zeros all elements of a region, of `size` bytes each, that are in none of these parts. A string or sequence of zeros is
/// empty.
///
/// # Errors
/// If the zeros do not fit into memory.
pub(super) fn keep_only(values: &mut Values, region: &Region, parts: &[Region], size: usize) -> Result<()> {
    let mut kept = Vec::new();
    crate::chunk::resize(&mut kept, values.bytes.len())?;
    for part in parts {
        let start = part.relative_to(&region.start).start;
        copy_region(
            &values.bytes,
            &region.count,
            &start,
            &mut kept,
            &region.count,
            &start,
            &part.count,
            size,
            1,
        )
        .map_err(|_| Error::Internal("a written part reaches outside its region".into()))?;
    }
    values.bytes = kept;
    Ok(())
}
