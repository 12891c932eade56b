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

    /// All written boxes; `None` if everything was written.
    pub(super) fn boxes(&self) -> Option<Box<dyn Iterator<Item = Region> + '_>> {
        match self {
            Self::All => None,
            Self::Chunks(grid, chunks) => Some(Box::new(chunks.iter().map(|chunk| grid.region(*chunk)))),
            Self::Regions(regions) => Some(Box::new(regions.iter().cloned())),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Region;
    use crate::format::WrittenChunks;
    use crate::proof::tiles::tiles_of;

    #[test]
    fn written_parts_of_a_region_are_kept() {
        let chunks = Stored::Chunks(ChunkGrid::new(&[4, 4], &[2, 2]).unwrap(), vec![0, 3]);
        let overlapping = Stored::Regions(vec![Region::new(&[0, 0], &[2, 2]), Region::new(&[1, 1], &[1, 1])]);
        let rows = Region::new(&[1, 0], &[2, 3]);
        assert_eq!(
            chunks.within(&rows),
            Some(vec![Region::new(&[1, 0], &[1, 2]), Region::new(&[2, 2], &[1, 1])])
        );
        assert_eq!(chunks.within(&Region::new(&[2, 2], &[2, 1])), None);
        assert_eq!(overlapping.within(&Region::new(&[0, 2], &[2, 2])), Some(vec![]));
        let kept = |stored: &Stored| {
            let mut values = Values::from_bytes((1..=6).collect());
            keep_only(&mut values, &rows, &stored.within(&rows).unwrap(), 1).unwrap();
            values.bytes
        };
        assert_eq!(kept(&chunks), [1, 2, 0, 0, 0, 6]);
        assert_eq!(kept(&overlapping), [1, 2, 0, 0, 0, 0]);
    }

    #[test]
    fn tiles_meet_what_was_written() {
        let tiles = ChunkGrid::new(&[6], &[2]).unwrap();
        let chunks = Stored::Chunks(ChunkGrid::new(&[6], &[1]).unwrap(), vec![4, 5]);
        let regions = Stored::Regions(vec![Region::new(&[0], &[1])]);
        assert_eq!(
            tiles_of(&tiles, &[&chunks, &regions]),
            WrittenChunks::Listed(vec![0, 2])
        );
        assert_eq!(tiles_of(&tiles, &[&regions, &Stored::All]), WrittenChunks::All(3));
        // One chunk that meets very many tiles.
        let long = ChunkGrid::new(&[1 << 40], &[1]).unwrap();
        let whole = Stored::Regions(vec![Region::new(&[0], &[1 << 40])]);
        assert_eq!(tiles_of(&long, &[&whole]), WrittenChunks::All(1 << 40));
    }
}
