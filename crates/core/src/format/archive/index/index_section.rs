//! Sections that have an index: written, compared and read piece by piece, as an index may be larger than memory.

use std::io::Read;
use std::ops::Range;

use super::entry::StreamEntry;
use super::entry_store::EntryStore;
use super::stream_index::{COLUMNS, ENTRY, PIECE, StreamIndex, number};
use crate::error::{Error, Result};
use crate::format::archive::structure::fields::damaged;
use crate::format::archive::structure::section::{self, Type};
use crate::format::archive::structure::streams::Stream;
use crate::store::{Object, SpooledSource, temporary_folder};

/// Bytes of content that are compressed or decoded in memory. Longer content is compressed as a stream.
const IN_MEMORY: u64 = 1 << 20;

/// Bytes of one column that are read at once.
const COLUMN: usize = 64 << 10;

/// Writes the section that has the index of a stream. Returns its length.
///
/// # Errors
/// Too many entries, and failures of reading packed entries and of writing.
pub(crate) fn write(
    index: &StreamIndex,
    stream: usize,
    out: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let length = index.content_length();
    let mut content = index.content(stream)?;
    let cannot = |e| Error::io("cannot read the index of blocks again", e);
    if length <= IN_MEMORY {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes).map_err(cannot)?;
        let section = section::encode(Type::Index, &bytes)?;
        out(&section)?;
        return Ok(section.len() as u64);
    }
    let encoder = section::compressed(content, length).map_err(cannot)?;
    let packed = spooled(encoder)?;
    let stored = packed.end().map_err(cannot)?.unwrap_or_default();
    let is_smaller = stored < length;
    let mut writer = section::Writer::begin(Type::Index, is_smaller.then_some(stored), length, out)?;
    match is_smaller {
        true => copy(&mut ObjectBytes(&packed, 0..stored), &mut writer)?,
        false => copy(&mut index.content(stream)?, &mut writer)?,
    }
    writer.finish()
}

/// Bytes in memory, or in a temporary file where they are many.
fn spooled(mut input: impl Read) -> Result<SpooledSource> {
    SpooledSource::read(&mut input, IN_MEMORY, &temporary_folder())
}

fn copy(from: &mut impl Read, to: &mut section::Writer) -> Result<()> {
    let mut buffer = vec![0; COLUMN];
    loop {
        let count = from.read(&mut buffer);
        match count.map_err(|e| Error::io("cannot read the index of blocks again", e))? {
            0 => return Ok(()),
            count => to.write(&buffer[..count])?,
        }
    }
}

/// A part of an object as a stream.
struct ObjectBytes<'a>(&'a dyn Object, Range<u64>);

impl Read for ObjectBytes<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let Self(object, range) = self;
        let left = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        let count = buf.len().min(left);
        object.read_exact_at(range.start, &mut buf[..count])?;
        range.start += count as u64;
        Ok(count)
    }
}

/// Most bytes of the content of an index of a stream, of an archive whose blocks take `blocks` bytes. Each entry has a block
/// header.
fn largest(stream: &Stream, blocks: u64) -> u64 {
    let entries = stream
        .blocks()
        .min(blocks / crate::format::archive::structure::block::HEADER as u64);
    entries.saturating_mul(ENTRY as u64).saturating_add(8)
}

/// Reads the section that has the index of a stream, and compares it with the index that was found. Returns its length.
///
/// # Errors
/// A damaged section, and another index.
pub(crate) fn compare(input: &mut impl Read, found: &StreamIndex, stream: usize) -> Result<u64> {
    let differs = || {
        damaged(format!(
            "the index of stream {stream} does not tell of its blocks"
        ))
    };
    let most = found.content_length();
    let compared = section::read(input, Type::Index, most, &mut |content, length| {
        if length != most {
            return Err(differs());
        }
        let mut expected = found.content(stream)?;
        let (mut buffer, mut other) = (vec![0; COLUMN], vec![0; COLUMN]);
        loop {
            let count = content.read(&mut buffer).map_err(|_| differs())?;
            if count == 0 {
                return Ok(());
            }
            let same = expected.read_exact(&mut other[..count]);
            same.map_err(|e| Error::io("cannot read the index of blocks again", e))?;
            if buffer[..count] != other[..count] {
                return Err(differs());
            }
        }
    });
    let (section, ()) = compared?.ok_or_else(|| missing(stream))?;
    Ok(section)
}

fn missing(stream: usize) -> Error {
    damaged(format!("the index of stream {stream} is missing"))
}

/// Reads the index of stream `n`. `blocks` is the part of the archive that has blocks.
///
/// # Errors
/// An index of another stream, or that does not have each block of the stream once, or that names places outside of
/// the blocks.
pub(crate) fn read(
    input: &mut impl Read,
    n: usize,
    stream: &Stream,
    blocks: &Range<u64>,
    store: &EntryStore,
) -> Result<StreamIndex> {
    let most = largest(stream, blocks.end.saturating_sub(blocks.start));
    let index = section::read(input, Type::Index, most, &mut |content, length| {
        if length <= IN_MEMORY {
            let mut bytes = Vec::new();
            let read = content.read_to_end(&mut bytes);
            read.map_err(|e| damaged(format!("the index of stream {n} cannot be decoded: {e}")))?;
            return decode(&bytes, length, n, stream, blocks, store);
        }
        decode(&spooled(content)?, length, n, stream, blocks, store)
    });
    let (_, index) = index?.ok_or_else(|| missing(n))?;
    Ok(index)
}

/// Reads the content of a section, of `length` bytes.
fn decode(
    content: &dyn Object,
    length: u64,
    n: usize,
    stream: &Stream,
    blocks: &Range<u64>,
    store: &EntryStore,
) -> Result<StreamIndex> {
    let wrong = |why: &str| damaged(format!("the index of stream {n} {why}"));
    let mut head = [0; 8];
    let read = content.read_exact_at(0, &mut head);
    read.map_err(|_| wrong("is truncated"))?;
    if number(&head[..4]) != n as u64 {
        return Err(wrong("is that of another stream"));
    }
    let count = number(&head[4..]);
    if count.checked_mul(ENTRY as u64) != length.checked_sub(8) {
        return Err(wrong("has another length than its entries"));
    }
    let mut at = 8;
    let mut columns = COLUMNS.map(|width| {
        let column = Column::of(content, at..at + width as u64 * count, width);
        at += width as u64 * count;
        column
    });
    let mut index = StreamIndex::new(blocks.start);
    let (mut block, mut end) = (0u64, blocks.start);
    for _ in 0..count {
        let mut row = [0; 6];
        for (field, column) in row.iter_mut().zip(&mut columns) {
            *field = column.next()?;
        }
        let entry = StreamEntry::of_row(row, block, end);
        let entry = entry.ok_or_else(|| wrong("has an entry that contradicts itself"))?;
        if row[4] > stream.block_length(block) as u64 {
            return Err(wrong("has a block that is longer than it was"));
        }
        end = entry
            .at
            .checked_add(entry.stored() as u64)
            .filter(|end| *end <= blocks.end && entry.at >= blocks.start)
            .ok_or_else(|| wrong("names a place outside of the blocks"))?;
        block += entry.run();
        index.push(entry);
        if index.plain() >= store.most_plain.max(PIECE) {
            index.pack(store)?;
        }
    }
    if block != stream.blocks() {
        return Err(wrong("does not have all blocks"));
    }
    if !store.take_plain(index.plain()) {
        index.pack(store)?;
    }
    Ok(index)
}

/// A column of an index, read piece by piece.
struct Column<'a> {
    content: &'a dyn Object,
    /// Bytes that are left.
    left: Range<u64>,
    width: usize,
    buffer: Vec<u8>,
    at: usize,
}

impl<'a> Column<'a> {
    fn of(content: &'a dyn Object, left: Range<u64>, width: usize) -> Self {
        Self {
            content,
            left,
            width,
            buffer: Vec::new(),
            at: 0,
        }
    }

    fn next(&mut self) -> Result<u64> {
        if self.at == self.buffer.len() {
            let count = (self.left.end - self.left.start).min(COLUMN as u64);
            self.buffer.resize(count as usize, 0);
            let read = self.content.read_exact_at(self.left.start, &mut self.buffer);
            read.map_err(|e| Error::io("cannot read the index of blocks", e))?;
            (self.left.start, self.at) = (self.left.start + count, 0);
        }
        let field = self.buffer.get(self.at..self.at + self.width).unwrap_or_default();
        self.at += self.width;
        Ok(number(field))
    }
}
