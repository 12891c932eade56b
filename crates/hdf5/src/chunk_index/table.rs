//! [`ChunkTable`]: a chunk index that is ready for use.

use std::sync::Arc;

use super::entry::{ChunkEntry, check_stored};
use super::grid::{ArrayOrder, ChunkGrid};
use super::packed::PackedRecords;
use super::record::ChunkRecord;
use super::runs::{EntryForm, RunList, Runs};
use crate::error::Result;
use crate::metadata::MetadataReader;

const WHAT: &str = "chunk index";

/// Smallest average number of entries of a part at which a long index stays in the file.
const LEAST_ENTRIES: usize = 8;

/// Positions of a dataset's stored chunks within its present extent.
///
/// Takes 16 bytes for each chunk if all are stored, else 24, or none if the chunks are contiguous. An index of more than
/// [`chunks_in_memory`](crate::Limits::chunks_in_memory) chunks stays in the file if that is fast to read. The table then holds the places
/// of its parts, and reads a part when one of its chunks is asked for.
#[derive(Debug, Clone)]
pub struct ChunkTable {
    grid: ChunkGrid,
    entries: Entries,
}

#[derive(Debug, Clone)]
enum Entries {
    /// In memory.
    Packed(PackedRecords),
    /// In the file.
    Runs(Arc<Runs>),
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
            entries: Entries::Packed(PackedRecords::default()),
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
            Entries::Packed(records) => records.len(),
            Entries::Runs(runs) => runs.len(),
            Entries::Computed { .. } => usize::try_from(self.grid.count()).unwrap_or(usize::MAX),
        }
    }

    /// True if no chunk is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if every chunk within the extent is stored.
    pub fn is_full(&self) -> bool {
        self.len() as u64 == self.grid.count()
    }

    /// The record of chunk number `index`; `None` if it is not stored, or outside the extent.
    ///
    /// `index` counts in C order over the grid of chunks that covers the present extent.
    ///
    /// # Errors
    /// Those of the source, if this part of the index is not in memory.
    pub fn get(&self, index: u64) -> Result<Option<ChunkRecord>> {
        match &self.entries {
            Entries::Packed(records) => Ok(records.get(index)),
            Entries::Runs(runs) => runs.get(&self.grid, index),
            Entries::Computed {
                address,
                chunk_size,
                order,
            } => Ok(self.computed(index, *address, *chunk_size, order)),
        }
    }

    /// The record of a chunk of an implicit index.
    fn computed(&self, index: u64, address: u64, chunk_size: u64, order: &ArrayOrder) -> Option<ChunkRecord> {
        if index >= self.grid.count() {
            return None;
        }
        let element = order.element(&self.grid, index)?;
        Some(ChunkRecord {
            index,
            address: address.checked_add(element.checked_mul(chunk_size)?)?,
            size: chunk_size,
            filter_mask: 0,
        })
    }

    /// The number of the chunk at these coordinates, in chunks, slowest dimension first. `None` outside the present
    /// extent.
    pub fn index_of(&self, coordinates: &[u64]) -> Option<u64> {
        self.grid.linear(coordinates)
    }

    /// All stored chunks, by ascending number.
    ///
    /// Items are errors of the source, if a part of the index is not in memory.
    pub fn iter(&self) -> impl Iterator<Item = Result<ChunkRecord>> + '_ {
        let (packed, runs, computed) = match &self.entries {
            Entries::Packed(records) => (Some(records), None, 0),
            Entries::Runs(runs) => (None, Some(runs), 0),
            Entries::Computed { .. } => (None, None, self.grid.count()),
        };
        let packed = packed
            .into_iter()
            .flat_map(|records| (0..records.len()).filter_map(|at| records.at(at)));
        let runs = runs
            .into_iter()
            .flat_map(|runs| (0..).map_while(|n| runs.run(&self.grid, n)));
        let runs = runs.flat_map(|run| match run {
            Ok(records) => records.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        let computed = (0..computed).filter_map(|index| self.get(index).transpose());
        packed.map(Ok).chain(runs).chain(computed)
    }
}

/// Collects the entries of an index, in any order.
#[derive(Debug)]
pub(super) struct TableBuilder<'a> {
    reader: &'a MetadataReader,
    /// Address of the dataset, for messages.
    dataset: u64,
    grid: &'a ChunkGrid,
    /// All records; `None` if they are not kept.
    packed: Option<PackedRecords>,
    /// Their places in the file; `None` if the records must be kept.
    runs: Option<RunList>,
    /// True if all records must be kept.
    keeps_all: bool,
    coordinates: Vec<u64>,
    /// Number of chunks of a B-tree outside the extent. HDF5 removes those, but leaves them in arrays.
    outside: u64,
}

impl<'a> TableBuilder<'a> {
    /// A builder that keeps all records in memory, or may keep only [where they are](Self::entries_are).
    pub(super) fn new(
        reader: &'a MetadataReader,
        dataset: u64,
        grid: &'a ChunkGrid,
        keeps_all: bool,
    ) -> Self {
        Self {
            reader,
            dataset,
            grid,
            packed: Some(PackedRecords::default()),
            runs: None,
            keeps_all: keeps_all || !reader.may_read_again(),
            coordinates: vec![0; grid.rank()],
            outside: 0,
        }
    }

    /// Tells the form of all entries, before the first one.
    pub(super) fn entries_are(&mut self, form: EntryForm) {
        if !self.keeps_all {
            self.runs = Some(RunList::new(self.reader, form, self.grid.rank()));
        }
    }

    /// Adds chunk number `index`. Its entry is at the address `at`, if it may be read again.
    pub(super) fn push(&mut self, index: u64, entry: ChunkEntry, at: Option<u64>) -> Result<()> {
        let ChunkEntry {
            address,
            size,
            filter_mask,
        } = entry;
        // A chunk past the end of a truncated file stays in the table, so that it is known to be lost.
        if !self.reader.tolerates() {
            check_stored(self.reader, "chunk", address, size)?;
        }
        self.reader.takes(address, size);
        if let Some(runs) = &mut self.runs
            && !at.is_some_and(|at| runs.add(index, at))
        {
            self.runs = None;
        }
        let Some(packed) = &mut self.packed else {
            return Ok(());
        };
        // The entry of a chunk takes some bytes of the file.
        let expected = self.grid.count().min(self.reader.file_size() / 4);
        packed.push(
            ChunkRecord {
                index,
                address,
                size,
                filter_mask,
            },
            expected,
        );
        let is_long = packed.len() > self.reader.limits().chunks_in_memory;
        if is_long
            && let Some(runs) = &self.runs
            && runs.len().saturating_mul(LEAST_ENTRIES) <= packed.len()
        {
            self.packed = None;
        }
        Ok(())
    }

    /// Adds the chunk at these coordinates (in chunks), if it is inside the extent.
    pub(super) fn push_at(&mut self, coordinates: &[u64], entry: ChunkEntry, at: Option<u64>) -> Result<()> {
        match self.grid.linear(coordinates) {
            Some(index) => self.push(index, entry, at),
            None => {
                self.reader.takes(entry.address, entry.size);
                self.outside += 1;
                Ok(())
            }
        }
    }

    /// Adds the chunk of element `element` of an array index, if it is inside the extent.
    pub(super) fn push_ordered(
        &mut self,
        order: &ArrayOrder,
        element: u64,
        entry: ChunkEntry,
        at: u64,
    ) -> Result<()> {
        order.coordinates(element, &mut self.coordinates);
        match self.grid.linear(&self.coordinates) {
            Some(index) => self.push(index, entry, Some(at)),
            None => {
                self.reader.takes(entry.address, entry.size);
                Ok(())
            }
        }
    }

    /// Makes the table. Chunks outside the extent are dropped, and told of a file that may be damaged. `None` if the index must be read
    /// again by a builder that keeps all, as a late entry is out of order.
    ///
    /// # Errors
    /// [`Error::Damaged`] if a chunk was added twice.
    pub(super) fn finish(self) -> Result<Option<ChunkTable>> {
        let entries = match (self.packed, self.runs) {
            (None, None) => return Ok(None),
            (None, Some(runs)) => Entries::Runs(Arc::new(runs.finish(self.reader))),
            (Some(mut packed), _) => {
                if let Some(index) = packed.sort() {
                    let error = format!("chunk {index} is stored twice");
                    self.reader
                        .tolerate(self.reader.damaged(WHAT, self.dataset, error))?;
                }
                Entries::Packed(packed)
            }
        };
        if self.outside > 0 && self.reader.tolerates() {
            let error = format!("number of chunks outside the extent: {}", self.outside);
            self.reader
                .tolerate(self.reader.damaged(WHAT, self.dataset, error))?;
        }
        Ok(Some(ChunkTable {
            grid: self.grid.clone(),
            entries,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::Error;

    fn reader(size: usize) -> MetadataReader {
        MetadataReader::new(Arc::new(vec![0; size + 8]), 8, 8, 8).unwrap()
    }

    fn entry(address: u64) -> ChunkEntry {
        ChunkEntry {
            address,
            size: 10,
            filter_mask: 0,
        }
    }

    #[test]
    fn sorts_and_drops_what_is_outside() {
        let (reader, grid) = (reader(100), ChunkGrid::new(&[3, 3], &[2, 2]).unwrap());
        let mut builder = TableBuilder::new(&reader, 0, &grid, false);
        for (at, address) in [([1, 1], 40), ([0, 2], 30), ([0, 1], 20), ([7, 0], 90)] {
            builder.push_at(&at, entry(address), None).unwrap();
        }
        let table = builder.finish().unwrap().unwrap();
        let chunks = table.iter().map(Result::unwrap);
        let found: Vec<_> = chunks.map(|chunk| (chunk.index, chunk.address)).collect();
        assert_eq!(found, [(1, 20), (3, 40)]);
        assert_eq!(table.get(3).unwrap().unwrap().address, 40);
        assert_eq!(table.get(0).unwrap(), None);
    }

    #[test]
    fn refuses_a_chunk_stored_twice_or_past_the_end() {
        let (reader, grid) = (reader(100), ChunkGrid::new(&[3], &[1]).unwrap());
        let mut builder = TableBuilder::new(&reader, 0, &grid, false);
        builder.push_at(&[1], entry(0), None).unwrap();
        builder.push_at(&[1], entry(50), None).unwrap();
        assert!(matches!(
            builder.push_at(&[2], entry(91), None),
            Err(Error::Truncated { offset: 99, .. })
        ));
        assert!(builder.push_at(&[2], entry(u64::MAX), None).is_err());
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
                assert_eq!(table.get(5).unwrap().unwrap().address, 50);
                assert_eq!(table.get(10).unwrap(), None);
            }
        }
    }
}
