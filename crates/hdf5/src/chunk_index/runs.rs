//! [`Runs`]: a long index of which only the places of its parts are in memory. Parts are read again when they are needed.
//!
//! A run is some neighbouring entries of a leaf, a page or a block. Runs hold chunks in the order of their indexes.

use std::sync::{Arc, Mutex, PoisonError};

use super::entry::{ChunkEntry, EntryFormat, check_stored};
use super::grid::ChunkGrid;
use super::record::ChunkRecord;
use crate::error::Result;
use crate::metadata::{Cursor, MetadataReader};

const WHAT: &str = "part of a chunk index";

/// Most entries of a run.
const MOST: u32 = 1024;

/// Runs that are in memory, as different threads need different ones.
const RECENT: usize = 64;

/// How the entries of an index are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryForm {
    /// In a version 1 B-tree of chunks of this shape, in elements: keys with addresses.
    BtreeV1(Vec<u64>),
    /// In a version 2 B-tree: entries with coordinates.
    BtreeV2(EntryFormat),
    /// In an array: entries.
    Array(EntryFormat),
}

impl EntryForm {
    /// Size of an entry, in bytes, of a dataset of `rank` dimensions.
    fn size(&self, reader: &MetadataReader, rank: usize) -> usize {
        match self {
            // Size, mask, coordinates with that of the byte in an element, address.
            Self::BtreeV1(_) => 8 + 8 * (rank + 1) + usize::from(reader.offset_size()),
            Self::BtreeV2(format) => format.size + 8 * rank,
            Self::Array(format) => format.size,
        }
    }

    /// The next entry, and its coordinates where it says them. `None` if the chunk is not stored.
    fn decode(&self, bytes: &mut Cursor<'_>, coordinates: &mut [u64]) -> Result<Option<ChunkEntry>> {
        match self {
            Self::BtreeV1(shape) => {
                let (size, filter_mask) = (bytes.u32()?, bytes.u32()?);
                for (coordinate, length) in coordinates.iter_mut().zip(shape) {
                    *coordinate = bytes.u64()? / (*length).max(1);
                }
                bytes.skip(8)?;
                Ok(Some(ChunkEntry {
                    address: bytes.defined_offset()?,
                    size: size.into(),
                    filter_mask,
                }))
            }
            Self::BtreeV2(format) => format.decode_placed(bytes, coordinates),
            Self::Array(format) => format.decode(bytes),
        }
    }
}

/// Some neighbouring entries.
#[derive(Debug, Clone, Copy)]
struct EntryRun {
    /// Index of the first chunk.
    first: u64,
    /// Address of the first entry.
    at: u64,
    /// Number of entries.
    count: u32,
}

/// The runs of an index that is being read.
#[derive(Debug)]
pub(super) struct RunList {
    form: EntryForm,
    size: usize,
    runs: Vec<EntryRun>,
    count: u64,
    /// Index of the last chunk.
    last: Option<u64>,
}

impl RunList {
    /// No runs of entries in this form, of a dataset of `rank` dimensions.
    pub(super) fn new(reader: &MetadataReader, form: EntryForm, rank: usize) -> Self {
        Self {
            size: form.size(reader, rank),
            form,
            runs: Vec::new(),
            count: 0,
            last: None,
        }
    }

    /// Number of runs.
    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// Adds the chunk whose entry is at an address. Returns false if it does not follow the last one.
    pub(super) fn add(&mut self, index: u64, at: u64) -> bool {
        if self.last.is_some_and(|last| last >= index) {
            return false;
        }
        let numbered = matches!(self.form, EntryForm::Array(_));
        let follows = !numbered || self.last.and_then(|last| last.checked_add(1)) == Some(index);
        self.last = Some(index);
        self.count += 1;
        match self.runs.last_mut() {
            Some(run)
                if follows
                    && run.count < MOST
                    && run.at.checked_add(u64::from(run.count) * self.size as u64) == Some(at) =>
            {
                run.count += 1;
            }
            _ => self.runs.push(EntryRun {
                first: index,
                at,
                count: 1,
            }),
        }
        true
    }

    /// The index, which `reader` reads again.
    pub(super) fn finish(mut self, reader: &MetadataReader) -> Runs {
        self.runs.shrink_to_fit();
        Runs {
            reader: reader.unnoted(),
            list: self,
            recent: Mutex::new(vec![None; RECENT]),
        }
    }
}

/// The records of a run.
type Records = Arc<[ChunkRecord]>;

/// A long index.
#[derive(Debug)]
pub(super) struct Runs {
    reader: MetadataReader,
    list: RunList,
    /// Runs that were read, with their numbers: run n is in place n modulo their count.
    recent: Mutex<Vec<Option<(usize, Records)>>>,
}

impl Runs {
    /// Number of all chunks.
    pub(super) fn len(&self) -> usize {
        usize::try_from(self.list.count).unwrap_or(usize::MAX)
    }

    /// The record with an index.
    pub(super) fn get(&self, grid: &ChunkGrid, index: u64) -> Result<Option<ChunkRecord>> {
        let behind = self.list.runs.partition_point(|run| run.first <= index);
        let Some((number, run)) = behind
            .checked_sub(1)
            .and_then(|n| Some((n, self.list.runs.get(n)?)))
        else {
            return Ok(None);
        };
        let recent = || self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = recent().get(number % RECENT).cloned().flatten();
        let records = match kept {
            Some((of, records)) if of == number => records,
            _ => {
                let records: Records = self.read(grid, run)?.into();
                if let Some(place) = recent().get_mut(number % RECENT) {
                    *place = Some((number, Arc::clone(&records)));
                }
                records
            }
        };
        // Usually every chunk is stored.
        let guess = usize::try_from(index - run.first)
            .ok()
            .and_then(|at| records.get(at));
        if let Some(record) = guess.filter(|record| record.index == index) {
            return Ok(Some(*record));
        }
        let found = records.binary_search_by_key(&index, |record| record.index);
        Ok(found.ok().and_then(|at| records.get(at)).copied())
    }

    /// The records of run number `n`; `None` behind the last one.
    pub(super) fn run(&self, grid: &ChunkGrid, n: usize) -> Option<Result<Vec<ChunkRecord>>> {
        self.list.runs.get(n).map(|run| self.read(grid, run))
    }

    /// Reads a run. It was sound before, so what is wrong now was changed since.
    fn read(&self, grid: &ChunkGrid, run: &EntryRun) -> Result<Vec<ChunkRecord>> {
        let mut bytes = vec![0; run.count as usize * self.list.size];
        self.reader.read_raw(WHAT, run.at, &mut bytes)?;
        let mut coordinates = vec![0; grid.rank()];
        let mut records: Vec<ChunkRecord> = Vec::with_capacity(run.count as usize);
        let mut entries = self.reader.cursor(WHAT, run.at, &bytes);
        for next in (run.first..).take(run.count as usize) {
            let entry = self.list.form.decode(&mut entries, &mut coordinates)?;
            let index = match self.list.form {
                EntryForm::Array(_) => Some(next),
                _ => grid.linear(&coordinates),
            };
            let follows = |index: &u64| match records.last() {
                None => *index == run.first,
                Some(last) => last.index < *index,
            };
            let (Some(entry), Some(index)) = (entry, index.filter(follows)) else {
                return Err(entries.damaged("it was changed since it was first read"));
            };
            check_stored(&self.reader, "chunk", entry.address, entry.size)?;
            records.push(ChunkRecord {
                index,
                address: entry.address,
                size: entry.size,
                filter_mask: entry.filter_mask,
            });
        }
        Ok(records)
    }
}
