//! Indexes: where the blocks of a stream are.
//!
//! ```text
//! entries ─► plain, as long as they fit ─► packed pieces ─► EntryStore: memory, then a temporary file
//! ```
//!
//! An archive may have more blocks than memory has room for their entries.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::entry::StreamEntry;
use super::entry_store::{EntryStore, Packed};
use crate::error::{Error, Result};
use crate::filter::compressors::zstd;
use crate::format::archive::structure::block::Header;
use crate::format::archive::structure::fields::damaged;

/// Bytes of each column of an index: run, form, mask, element, stored length, gap.
pub(crate) const COLUMNS: [usize; 6] = [4, 2, 2, 8, 4, 8];

/// Bytes of one entry of an index, over all its columns.
pub(crate) const ENTRY: usize = 28;

/// Most entries of a packed piece.
pub(crate) const PIECE: usize = 4096;

/// Level at which pieces are packed.
const LEVEL: i32 = 1;

/// The columns of entries, one after another. `before` is the end of the entry before the first one.
fn columns(entries: &[StreamEntry], before: u64) -> Vec<u8> {
    let mut out = vec![0; entries.len() * ENTRY];
    let mut rest = out.as_mut_slice();
    let mut parts = COLUMNS.map(|width| {
        let (now, after) = std::mem::take(&mut rest).split_at_mut(width * entries.len());
        rest = after;
        now.chunks_exact_mut(width)
    });
    let mut before = before;
    for entry in entries {
        for (part, field) in parts.iter_mut().zip(entry.row(before)) {
            if let Some(to) = part.next() {
                to.copy_from_slice(&field.to_le_bytes()[..to.len()]);
            }
        }
        before = entry.end();
    }
    out
}

/// A little-endian number.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte))
}

/// Entries that are packed: their columns, compressed.
struct PackedEntries {
    /// The first block.
    block: u64,
    /// The end of the entry before.
    before: u64,
    entries: usize,
    packed: Packed,
}

impl PackedEntries {
    fn columns(&self) -> Result<Vec<u8>> {
        let mut columns = Vec::new();
        self.packed.with(|bytes| {
            zstd::decode_plain(bytes, self.entries * ENTRY, &mut columns).map_err(Error::Internal)
        })?;
        Ok(columns)
    }

    fn entries(&self) -> Result<Vec<StreamEntry>> {
        let columns = self.columns()?;
        let mut rest = columns.as_slice();
        let mut parts = Vec::with_capacity(COLUMNS.len());
        for width in COLUMNS {
            let split = rest.split_at_checked(width * self.entries);
            let (now, after) = split.ok_or_else(|| Error::Internal("packed entries are cut".to_owned()))?;
            parts.push(now.chunks_exact(width));
            rest = after;
        }
        let (mut block, mut before) = (self.block, self.before);
        let mut entries = Vec::with_capacity(self.entries);
        for _ in 0..self.entries {
            let mut row = [0; 6];
            for (field, part) in row.iter_mut().zip(&mut parts) {
                *field = part.next().map_or(0, number);
            }
            let entry = StreamEntry::of_row(row, block, before);
            let entry = entry.ok_or_else(|| Error::Internal("a packed entry is damaged".to_owned()))?;
            block += entry.run();
            before = entry.end();
            entries.push(entry);
        }
        Ok(entries)
    }
}

/// The index of one stream: entries in ascending order of blocks, without gaps.
pub(crate) struct StreamIndex {
    pieces: Vec<PackedEntries>,
    /// Entries in pieces.
    in_pieces: usize,
    /// The end of the last entry in pieces, or of the front.
    before: u64,
    /// The entries after the pieces.
    plain: Vec<StreamEntry>,
    /// The piece that was unpacked last.
    recent: Mutex<Option<(usize, Arc<Vec<StreamEntry>>)>>,
}

impl StreamIndex {
    /// An index without entries, of an archive whose front has `front` bytes.
    pub fn new(front: u64) -> Self {
        Self {
            pieces: Vec::new(),
            in_pieces: 0,
            before: front,
            plain: Vec::new(),
            recent: Mutex::default(),
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.in_pieces + self.plain.len()
    }

    /// Number of entries that are not packed.
    pub fn plain(&self) -> usize {
        self.plain.len()
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: StreamEntry) {
        self.plain.push(entry);
    }

    /// Packs the entries that are plain.
    ///
    /// # Errors
    /// If they cannot be kept.
    pub fn pack(&mut self, store: &EntryStore) -> Result<()> {
        let mut packed = Vec::new();
        for part in std::mem::take(&mut self.plain).chunks(PIECE) {
            let (Some(first), Some(last)) = (part.first(), part.last()) else {
                continue;
            };
            zstd::encode_plain(LEVEL, &columns(part, self.before), &mut packed).map_err(Error::Internal)?;
            self.pieces.push(PackedEntries {
                block: first.number,
                before: self.before,
                entries: part.len(),
                packed: store.keep(&packed)?,
            });
            self.in_pieces += part.len();
            self.before = last.end();
        }
        Ok(())
    }

    /// The entry that has a block.
    ///
    /// # Errors
    /// If packed entries cannot be read again.
    pub fn find(&self, block: u64) -> Result<Option<StreamEntry>> {
        let in_plain = self.plain.first().is_some_and(|first| first.number <= block);
        if in_plain || self.pieces.is_empty() {
            return Ok(find_in(&self.plain, block));
        }
        let n = self.pieces.partition_point(|piece| piece.block <= block);
        let Some(n) = n.checked_sub(1) else {
            return Ok(None);
        };
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = match &*recent {
            Some((of, entries)) if *of == n => entries.clone(),
            _ => {
                let entries = Arc::new(self.pieces[n].entries()?);
                *recent = Some((n, entries.clone()));
                entries
            }
        };
        drop(recent);
        Ok(find_in(&entries, block))
    }

    /// Bytes of all blocks, with their headers.
    ///
    /// # Errors
    /// If packed entries cannot be read again.
    pub fn stored(&self) -> Result<u64> {
        let sum = |entries: &[StreamEntry]| entries.iter().map(|entry| entry.stored() as u64).sum::<u64>();
        let mut bytes = sum(&self.plain);
        for piece in &self.pieces {
            bytes += sum(&piece.entries()?);
        }
        Ok(bytes)
    }

    /// Length of the content of the section that has this index.
    pub fn content_length(&self) -> u64 {
        8 + (self.len() * ENTRY) as u64
    }

    /// The content of the section that has this index, as that of a stream.
    ///
    /// # Errors
    /// More entries than the format counts.
    pub fn content(&self, stream: usize) -> Result<impl Read> {
        let count = u32::try_from(self.len()).map_err(|_| {
            damaged(format!(
                "stream {stream} has more than {} blocks; ask for longer blocks",
                u32::MAX
            ))
        })?;
        let mut buffer = (stream as u32).to_le_bytes().to_vec();
        buffer.extend(count.to_le_bytes());
        Ok(IndexContent {
            index: self,
            plain: columns(&self.plain, self.before),
            column: 0,
            piece: 0,
            buffer,
            at: 0,
        })
    }
}

fn find_in(entries: &[StreamEntry], block: u64) -> Option<StreamEntry> {
    let n = entries.partition_point(|entry| entry.number <= block);
    entries.get(n.checked_sub(1)?).copied()
}

/// The content of an index's section, column by column.
struct IndexContent<'a> {
    index: &'a StreamIndex,
    /// The columns of the entries that are plain.
    plain: Vec<u8>,
    /// The next column, and the next piece in it.
    column: usize,
    piece: usize,
    /// Bytes that were not read yet, from `at` on.
    buffer: Vec<u8>,
    at: usize,
}

impl IndexContent<'_> {
    /// Makes the next bytes. False at the end.
    fn advance(&mut self) -> Result<bool> {
        let Some(width) = COLUMNS.get(self.column) else {
            return Ok(false);
        };
        let unpacked;
        let (columns, entries) = match self.index.pieces.get(self.piece) {
            Some(piece) => {
                unpacked = piece.columns()?;
                (&unpacked, piece.entries)
            }
            None => (&self.plain, self.index.plain.len()),
        };
        let skipped: usize = COLUMNS[..self.column].iter().sum();
        let range = skipped * entries..(skipped + width) * entries;
        self.buffer.clear();
        self.buffer.extend(columns.get(range).unwrap_or_default());
        self.at = 0;
        self.piece += 1;
        if self.piece > self.index.pieces.len() {
            (self.column, self.piece) = (self.column + 1, 0);
        }
        Ok(true)
    }
}

impl Read for IndexContent<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.buffer.len() {
            if !self.advance().map_err(io::Error::other)? {
                return Ok(0);
            }
        }
        let rest = &self.buffer[self.at..];
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

/// The indexes of an archive whose blocks come one after another.
pub(crate) struct Indexes {
    list: Vec<StreamIndex>,
    /// Entries that are plain, in all indexes.
    plain: usize,
    store: EntryStore,
}

impl Indexes {
    /// Empty indexes of `streams` streams. `front` is the length of the archive's front. Entries take at most about `memory`
    /// bytes of memory.
    pub fn new(streams: usize, front: u64, memory: u64) -> Self {
        Self {
            list: (0..streams).map(|_| StreamIndex::new(front)).collect(),
            plain: 0,
            store: EntryStore::of(memory),
        }
    }

    /// The index of each stream.
    pub fn list(&self) -> &[StreamIndex] {
        &self.list
    }

    /// Adds the entry of the block whose header is at a position. Blocks of a stream come in ascending order.
    ///
    /// # Errors
    /// If entries that do not fit into memory cannot be kept.
    pub fn push(&mut self, header: &Header, at: u64) -> Result<()> {
        if let Some(index) = self.list.get_mut(header.stream as usize) {
            index.push(StreamEntry::of(header, at));
            self.plain += 1;
        }
        match self.plain > self.store.most_plain {
            true => self.pack_some(),
            false => Ok(()),
        }
    }

    /// Packs those indexes that have the most plain entries, until half of the room is free.
    fn pack_some(&mut self) -> Result<()> {
        let mut longest: Vec<usize> = (0..self.list.len()).collect();
        longest.sort_by_key(|n| std::cmp::Reverse(self.list[*n].plain()));
        for n in longest {
            self.plain -= self.list[n].plain();
            self.list[n].pack(&self.store)?;
            if self.plain <= self.store.most_plain / 2 {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::archive::structure::block::{Content, HEADER};

    fn header(stream: u32, number: u64) -> Header {
        let content = match number % 5 {
            0 => Content::Repeated {
                element: number.to_le_bytes(),
                run: 3,
            },
            n => Content::Stored {
                length: (number * 7 % 1000) as u32,
                mask: n as u16 - 1,
                crc: 5,
            },
        };
        Header {
            stream,
            number,
            content,
        }
    }

    #[test]
    fn entries_are_the_same_wherever_they_are_kept() {
        let contents = [u64::MAX, 100_000, 64 * 30].map(|memory| {
            let mut indexes = Indexes::new(3, 77, memory);
            let mut at = 77;
            let mut expected = vec![Vec::new(); 3];
            let mut next = [0; 3];
            for n in 0..30_000usize {
                let stream = [0, 1, 1, 1, 2][n % 5];
                let header = header(stream as u32, next[stream]);
                indexes.push(&header, at).unwrap();
                expected[stream].push(StreamEntry::of(&header, at));
                at += (HEADER + header.stored()) as u64;
                next[stream] += header.run();
            }
            let is_packed = indexes.list.iter().any(|index| !index.pieces.is_empty());
            assert_eq!(is_packed, memory < u64::MAX);
            for (stream, expected) in expected.iter().enumerate() {
                let index = &indexes.list[stream];
                assert_eq!(index.len(), expected.len());
                for entry in expected.iter().step_by(17) {
                    for block in entry.number..entry.number + entry.run() {
                        assert_eq!(index.find(block).unwrap(), Some(*entry));
                    }
                }
            }
            let contents = indexes.list.iter().enumerate().map(|(n, index)| {
                let mut content = Vec::new();
                index.content(n).unwrap().read_to_end(&mut content).unwrap();
                assert_eq!(content.len() as u64, index.content_length());
                content
            });
            contents.collect::<Vec<_>>()
        });
        assert!(contents[0] == contents[1] && contents[1] == contents[2]);
    }
}
