//! [`ChunkMap`]: the grid of a variable's chunks, with how well each is compressed.

use super::compression::Compression;
use crate::chunk::{ChunkGrid, element_count};
use crate::error::Result;
use crate::format::{Reader, WrittenChunks};
use crate::inspect::sizes::VariableSizes;
use crate::model::Storage;

/// Most columns and rows of a map.
const MOST: (u64, u64) = (72, 24);

/// Largest number of columns for each row, or of rows for each column, at which the grid keeps its rows.
const LONGEST: u64 = 24;

/// Most chunks of which each is looked at.
const MOST_CHUNKS: u64 = 1 << 24;

/// The grid of a variable's chunks in two dimensions. A cell stands for one chunk or for several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkMap {
    /// Number of columns.
    pub columns: usize,
    /// The cells, row by row. The last row may be shorter.
    pub cells: Vec<Cell>,
    /// Number of leading dimensions that count along rows; `None` if chunks follow one another, row by row.
    pub leading: Option<usize>,
    /// Most chunks that a cell stands for.
    pub chunks_per_cell: u64,
    /// Number of chunks of each class, in the order of [`Compression::ALL`].
    pub counts: [u64; Compression::ALL.len()],
}

/// One cell of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Bytes of its stored chunks in memory.
    pub memory: u64,
    /// Bytes of its stored chunks.
    pub stored: u64,
    /// How well it is compressed.
    pub class: Compression,
}

/// Where a chunk goes.
struct Projection {
    /// Chunks along a row of the grid before it is binned; `None` if chunks follow one another.
    row: Option<u64>,
    /// Chunks of a cell, along a row and across rows.
    bin: (u64, u64),
    columns: u64,
    cells: u64,
}

impl Projection {
    /// The projection of a grid with these numbers of chunks, and the number of leading dimensions if it keeps rows.
    fn of(counts: &[u64], all: u64) -> (Self, Option<usize>) {
        let splits = (1..counts.len()).map(|split| {
            let product = |part: &[u64]| part.iter().fold(1u64, |n, count| n.saturating_mul(*count));
            (split, product(&counts[..split]), product(&counts[split..]))
        });
        let elongation = |rows: u64, columns: u64| rows.max(columns) / rows.min(columns).max(1);
        let best = splits.min_by_key(|(_, rows, columns)| elongation(*rows, *columns));
        match best {
            Some((split, rows, columns)) if elongation(rows, columns) <= LONGEST => {
                let bin = (columns.div_ceil(MOST.0).max(1), rows.div_ceil(MOST.1).max(1));
                let (across, down) = (columns.div_ceil(bin.0), rows.div_ceil(bin.1));
                let projection = Self {
                    row: Some(columns),
                    bin,
                    columns: across,
                    cells: across * down,
                };
                (projection, Some(split))
            }
            _ => {
                let per_cell = all.div_ceil(MOST.0 * MOST.1).max(1);
                let cells = all.div_ceil(per_cell);
                let projection = Self {
                    row: None,
                    bin: (per_cell, 1),
                    columns: cells.min(MOST.0),
                    cells,
                };
                (projection, None)
            }
        }
    }

    fn cell(&self, chunk: u64) -> usize {
        let cell = match self.row {
            Some(row) => chunk / row / self.bin.1 * self.columns + chunk % row / self.bin.0,
            None => chunk / self.bin.0,
        };
        cell as usize
    }
}

/// The map of a variable in chunks or blocks, whose index or list of keys is read. `None` for other variables, for one in other
/// datasets, and where the sizes of chunks are not known.
///
/// # Errors
/// If the index cannot be read or is damaged.
pub(super) fn chunk_map(reader: &dyn Reader, of: &VariableSizes) -> Result<Option<ChunkMap>> {
    let var = of.var;
    let layout = reader.layout(var);
    if layout.chunk_shape().is_empty() || reader.is_virtual(var) {
        return Ok(None);
    }
    let element_size = layout.element_size as u64;
    let (extent, shape, element_size) = match &layout.storage {
        // Blocks follow one another, in the order of the elements.
        Storage::Blocks { bytes } => {
            let elements = element_count(&layout.extent).unwrap_or(u64::MAX);
            (vec![elements.saturating_mul(element_size)], vec![*bytes], 1)
        }
        _ => (layout.extent.clone(), layout.chunk_shape().to_vec(), element_size),
    };
    let grid = ChunkGrid::new(&extent, &shape)?;
    let written: WrittenChunks = reader.written(var)?.chunks(&grid);
    if grid.is_empty() || written.len() > MOST_CHUNKS {
        return Ok(None);
    }
    let bytes = |counts: &[u64]| {
        let elements = counts.iter().fold(1u64, |n, count| n.saturating_mul(*count));
        elements.saturating_mul(element_size)
    };
    let whole = bytes(&shape);
    let has_filters = of.has_filters();
    let known = |memory: u64| of.memory.map(|_| memory);
    let (projection, leading) = Projection::of(grid.counts(), grid.len());
    let mut counts = [0; Compression::ALL.len()];
    let nothing = Cell {
        memory: 0,
        stored: 0,
        class: Compression::Missing,
    };
    let mut cells = vec![nothing; projection.cells as usize];
    counts[Compression::Missing as usize] = grid.len().saturating_sub(written.len());
    for chunk in written {
        let Some(stored) = reader.stored_size(var, chunk) else {
            return Ok(None);
        };
        // What a chunk has past the extent is no data.
        let of_chunk = match grid.is_edge(chunk) {
            true => bytes(&grid.region(chunk).count),
            false => whole,
        };
        counts[Compression::of(known(of_chunk), stored.max(1), has_filters) as usize] += 1;
        if let Some(cell) = cells.get_mut(projection.cell(chunk)) {
            cell.memory = cell.memory.saturating_add(of_chunk);
            cell.stored = cell.stored.saturating_add(stored.max(1));
        }
    }
    for cell in &mut cells {
        cell.class = Compression::of(known(cell.memory), cell.stored, has_filters);
    }
    Ok(Some(ChunkMap {
        columns: projection.columns as usize,
        cells,
        leading,
        chunks_per_cell: projection.bin.0.saturating_mul(projection.bin.1),
        counts,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(counts: &[u64]) -> (u64, u64, Option<usize>, (u64, u64)) {
        let all = counts.iter().fold(1u64, |n, count| n.saturating_mul(*count));
        let (projection, leading) = Projection::of(counts, all);
        let last = projection.cell(all - 1);
        assert!((last as u64) < projection.cells, "{counts:?}");
        (projection.columns, projection.cells, leading, projection.bin)
    }

    #[test]
    fn grids_are_cut_where_they_are_most_square() {
        assert_eq!(sizes(&[10, 4, 8]), (32, 320, Some(1), (1, 1)));
        assert_eq!(sizes(&[4, 4, 8]), (8, 128, Some(2), (1, 1)));
        assert_eq!(sizes(&[366]), (72, 366, None, (1, 1)));
        assert_eq!(
            sizes(&[366, 1, 1]),
            (72, 366, None, (1, 1)),
            "one row would be too long"
        );
    }

    #[test]
    fn large_grids_are_binned() {
        for counts in [
            &[1 << 40][..],
            &[1 << 20, 1 << 20],
            &[100_000, 5, 5],
            &[3, 1 << 30, 3],
            &[1 << 31, 1 << 31],
        ] {
            let (columns, cells, ..) = sizes(counts);
            assert!(
                columns <= MOST.0 && cells <= MOST.0 * MOST.1,
                "{counts:?}: {cells}"
            );
        }
    }
}
