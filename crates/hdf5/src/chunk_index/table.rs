//! [`ChunkTable`]: a chunk index in memory.

use super::record::ChunkRecord;
use crate::error::{Error, Result};
use crate::metadata::MetadataReader;

use super::entry::Entry;
use super::grid::{ArrayOrder, ChunkGrid};

const WHAT: &str = "chunk index";

/// Positions of a dataset's stored chunks within its present extent.
///
/// Takes 32 bytes for each chunk, or none if the chunks are contiguous.
#[derive(Debug, Clone)]
pub struct ChunkTable {
    grid: ChunkGrid,
    entries: Entries,
}

#[derive(Debug, Clone)]
enum Entries {
    /// Sorted by index, without duplicates.
    Listed(Vec<ChunkRecord>),
    /// An implicit index: element i of the array is i chunks after the address.
    Computed {
        address: u64,
        chunk_size: u64,
        order: ArrayOrder,
    },
}

impl ChunkTable {
    pub(super) fn empty(grid: ChunkGrid) -> Self {
        Self {
            grid,
            entries: Entries::Listed(Vec::new()),
        }
    }

    /// The table of an implicit index with its array at `address`.
    pub(super) fn implicit(
        reader: &MetadataReader,
        address: u64,
        chunk_size: u64,
        grid: ChunkGrid,
        order: ArrayOrder,
    ) -> Result<Self> {
        // The last chunk inside the extent has the highest element.
        let last = grid
            .count()
            .checked_sub(1)
            .and_then(|last| order.element(&grid, last));
        let size = last
            .and_then(|last| last.checked_add(1)?.checked_mul(chunk_size))
            .unwrap_or(u64::MAX);
        check_stored(reader, "chunks of an implicit index", address, size)?;
        Ok(Self {
            grid,
            entries: Entries::Computed {
                address,
                chunk_size,
                order,
            },
        })
    }

    /// Number of stored chunks.
    pub fn len(&self) -> usize {
        match &self.entries {
            Entries::Listed(list) => list.len(),
            Entries::Computed { .. } => usize::try_from(self.grid.count()).unwrap_or(usize::MAX),
        }
    }

    /// True if no chunk is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The record of chunk number `index`; `None` if it is not stored, or outside the extent.
    ///
    /// `index` counts in C order over the grid of chunks that covers the present extent.
    pub fn get(&self, index: u64) -> Option<ChunkRecord> {
        match &self.entries {
            Entries::Listed(list) => {
                // Usually every chunk is stored, so that chunk i is entry i.
                let guess = usize::try_from(index).ok().and_then(|i| list.get(i));
                if let Some(record) = guess.filter(|record| record.index == index) {
                    return Some(*record);
                }
                let at = list.binary_search_by_key(&index, |record| record.index).ok()?;
                list.get(at).copied()
            }
            Entries::Computed {
                address,
                chunk_size,
                order,
            } => {
                let grid = &self.grid;
                if index >= grid.count() {
                    return None;
                }
                let element = order.element(grid, index)?;
                Some(ChunkRecord {
                    index,
                    address: address.checked_add(element.checked_mul(*chunk_size)?)?,
                    size: *chunk_size,
                    filter_mask: 0,
                })
            }
        }
    }

    /// The number of the chunk at these coordinates, in chunks, slowest dimension first. `None` outside the present
    /// extent.
    pub fn index_of(&self, coordinates: &[u64]) -> Option<u64> {
        self.grid.linear(coordinates)
    }

    /// All stored chunks, by ascending number.
    pub fn iter(&self) -> impl Iterator<Item = ChunkRecord> + '_ {
        let (list, computed) = match &self.entries {
            Entries::Listed(list) => (list.as_slice(), 0),
            Entries::Computed { .. } => (&[] as &[_], self.grid.count()),
        };
        list.iter()
            .copied()
            .chain((0..computed).filter_map(|index| self.get(index)))
    }
}

/// Collects the entries of an index, in any order.
#[derive(Debug)]
pub(super) struct TableBuilder<'a> {
    reader: &'a MetadataReader,
    /// Address of the dataset, for messages.
    dataset: u64,
    grid: &'a ChunkGrid,
    list: Vec<ChunkRecord>,
    coordinates: Vec<u64>,
    /// Number of chunks of a B-tree outside the extent. HDF5 removes those, but leaves them in arrays.
    outside: u64,
}

impl<'a> TableBuilder<'a> {
    pub(super) fn new(reader: &'a MetadataReader, dataset: u64, grid: &'a ChunkGrid) -> Self {
        Self {
            reader,
            dataset,
            grid,
            list: Vec::new(),
            coordinates: vec![0; grid.rank()],
            outside: 0,
        }
    }

    /// Adds chunk number `index`.
    pub(super) fn push(&mut self, index: u64, address: u64, size: u64, filter_mask: u32) -> Result<()> {
        // A chunk past the end of a truncated file stays in the table, so that it is known to be lost.
        if !self.reader.tolerates() {
            check_stored(self.reader, "chunk", address, size)?;
        }
        self.reader.takes(address, size);
        self.list.push(ChunkRecord {
            index,
            address,
            size,
            filter_mask,
        });
        Ok(())
    }

    /// Adds the chunk at these coordinates (in chunks), if it is inside the extent.
    pub(super) fn push_at(&mut self, coordinates: &[u64], entry: Entry) -> Result<()> {
        match self.grid.linear(coordinates) {
            Some(index) => self.push(index, entry.address, entry.size, entry.filter_mask),
            None => {
                self.reader.takes(entry.address, entry.size);
                self.outside += 1;
                Ok(())
            }
        }
    }

    /// Adds the chunk of element `element` of an array index, if it is inside the extent.
    pub(super) fn push_ordered(&mut self, order: &ArrayOrder, element: u64, entry: Entry) -> Result<()> {
        order.coordinates(element, &mut self.coordinates);
        match self.grid.linear(&self.coordinates) {
            Some(index) => self.push(index, entry.address, entry.size, entry.filter_mask),
            None => {
                self.reader.takes(entry.address, entry.size);
                Ok(())
            }
        }
    }

    /// Makes the table. Chunks outside the extent are dropped, and told of a file that may be damaged.
    ///
    /// # Errors
    /// [`Error::Damaged`] if a chunk was added twice.
    pub(super) fn finish(mut self) -> Result<ChunkTable> {
        self.list.sort_unstable_by_key(|record| record.index);
        let twice = self.list.windows(2).find_map(|pair| match pair {
            [a, b] if a.index == b.index => Some(a.index),
            _ => None,
        });
        if let Some(index) = twice {
            let error = format!("chunk {index} is stored twice");
            self.reader
                .tolerate(self.reader.damaged(WHAT, self.dataset, error))?;
            self.list.dedup_by_key(|record| record.index);
        }
        if self.outside > 0 && self.reader.tolerates() {
            let error = format!("number of chunks outside the extent: {}", self.outside);
            self.reader
                .tolerate(self.reader.damaged(WHAT, self.dataset, error))?;
        }
        self.list.shrink_to_fit();
        Ok(ChunkTable {
            grid: self.grid.clone(),
            entries: Entries::Listed(self.list),
        })
    }
}

/// Fails if `size` bytes at `address` are not all in the file.
fn check_stored(reader: &MetadataReader, what: &'static str, address: u64, size: u64) -> Result<()> {
    if address
        .checked_add(size)
        .is_none_or(|end| end > reader.file_size())
    {
        return Err(Error::Truncated {
            what,
            offset: reader.absolute(address),
            need: size,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn reader(size: usize) -> MetadataReader {
        MetadataReader::new(Arc::new(vec![0; size + 8]), 8, 8, 8).unwrap()
    }

    fn entry(address: u64) -> Entry {
        Entry {
            address,
            size: 10,
            filter_mask: 0,
        }
    }

    #[test]
    fn sorts_and_drops_what_is_outside() {
        let (reader, grid) = (reader(100), ChunkGrid::new(&[3, 3], &[2, 2]).unwrap());
        let mut builder = TableBuilder::new(&reader, 0, &grid);
        for (at, address) in [([1, 1], 40), ([0, 2], 30), ([0, 1], 20), ([7, 0], 90)] {
            builder.push_at(&at, entry(address)).unwrap();
        }
        let table = builder.finish().unwrap();
        let found: Vec<_> = table.iter().map(|chunk| (chunk.index, chunk.address)).collect();
        assert_eq!(found, [(1, 20), (3, 40)]);
        assert_eq!(table.get(3).unwrap().address, 40);
        assert_eq!(table.get(0), None);
    }

    #[test]
    fn refuses_a_chunk_stored_twice_or_past_the_end() {
        let (reader, grid) = (reader(100), ChunkGrid::new(&[3], &[1]).unwrap());
        let mut builder = TableBuilder::new(&reader, 0, &grid);
        builder.push_at(&[1], entry(0)).unwrap();
        builder.push_at(&[1], entry(50)).unwrap();
        assert!(matches!(
            builder.push_at(&[2], entry(91)),
            Err(Error::Truncated { offset: 99, .. })
        ));
        assert!(builder.push_at(&[2], entry(u64::MAX)).is_err());
        assert!(matches!(builder.finish(), Err(Error::Damaged { .. })));
    }

    /// Whatever extent a damaged file claims, an implicit index has no more chunks than the file has room for.
    #[test]
    fn implicit_chunks_are_in_the_file() {
        let reader = reader(100);
        for (dims, max_dims, fits) in [
            ([2, 5], [2, 5], true),
            ([2, 5], [2, 6], false),
            ([2, 5], [3, 5], true),
            ([2, 6], [2, 6], false),
            ([1 << 31, 1 << 31], [1 << 31, 1 << 31], false),
        ] {
            let grid = ChunkGrid::new(&dims, &[1, 1]).unwrap();
            let order = ArrayOrder::new(&dims, &[1, 1], &max_dims.map(Some)).unwrap();
            let table = ChunkTable::implicit(&reader, 0, 10, grid, order);
            assert_eq!(table.is_ok(), fits, "{dims:?} {max_dims:?}");
            if let Ok(table) = table {
                assert_eq!(table.iter().count(), table.len());
                assert_eq!(table.get(5).unwrap().address, 50);
                assert_eq!(table.get(10), None);
            }
        }
    }
}
