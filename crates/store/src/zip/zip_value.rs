//! Reading the value of one entry of a zip file.
//!
//! ```text
//! begin ─┬─ the local header is known ──► data ─► finish: inflate, check
//!        └─ not yet ─► header, and data if a request is slow ─► [the rest] ─► finish
//! ```
//!
//! A `ZipRead` only says which bytes it needs next, so that one value can be read by a thread that waits, and many by
//! requests that run at once.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use libdeflater::{Decompressor, crc32};

use crate::zip::zip_directory::ZipEntry;
use crate::zip::zip_records::{DEFLATED, ENCRYPTED, LOCAL, LocalHeader, STORED};
use crate::{ByteRange, GetRange};

/// Most bytes that one byte of deflated data can stand for.
const EXPANSION: u64 = 1032;

/// Bytes that a local header may be longer than expected before its data needs another request. Extra fields of the
/// two headers of an entry differ by a few times.
const SLACK: u64 = 64;

/// The read of a part of an entry's value.
#[derive(Debug)]
pub(crate) struct ZipRead {
    part: GetRange,
    /// The bytes that are needed next.
    range: ByteRange,
    /// True if these begin with the local header; false if they are the data.
    at_header: bool,
}

/// What follows the bytes that were needed.
pub(crate) enum Next {
    /// More bytes are needed.
    Read(ZipRead),
    /// The part of the value.
    Value(Vec<u8>),
}

fn wrong(name: &str, why: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the zip's entry {name:?} {why}"),
    )
}

/// The error of an entry whose data reaches past its limit.
fn too_long(entry: &ZipEntry, name: &str) -> io::Error {
    match entry.is_last {
        true => wrong(name, "is truncated: the file ends within its data"),
        false => wrong(name, "overlaps what comes after it"),
    }
}

fn unsupported(name: &str, why: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("the zip's entry {name:?} {why}"),
    )
}

/// A buffer of zeros that takes no memory before it is written to.
pub(crate) fn zeros(length: usize) -> io::Result<Vec<u8>> {
    let mut tried = Vec::<u8>::new();
    tried
        .try_reserve_exact(length)
        .map_err(|_| io::ErrorKind::OutOfMemory)?;
    drop(tried);
    Ok(vec![0; length])
}

fn in_memory(length: u64) -> io::Result<usize> {
    usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory.into())
}

impl ZipRead {
    /// Begins to read a part of an entry. With `at_once`, one read brings header and data, if the data is needed as a
    /// whole.
    ///
    /// # Errors
    /// If the entry cannot be read, or its sizes cannot be true.
    pub fn begin(entry: &ZipEntry, name: &str, part: GetRange, at_once: bool) -> io::Result<Self> {
        if entry.flags & ENCRYPTED != 0 {
            return Err(unsupported(name, "is encrypted"));
        }
        match entry.method {
            STORED if entry.compressed != entry.size => {
                return Err(wrong(name, "is stored, but has two sizes"));
            }
            DEFLATED if entry.size > entry.compressed.saturating_mul(EXPANSION) => {
                return Err(wrong(name, "states a size that its data cannot have"));
            }
            STORED | DEFLATED => {}
            method => {
                let why =
                    format!("is compressed by method {method}; only 0 (stored) and 8 (deflate) can be read");
                return Err(unsupported(name, &why));
            }
        }
        if let Some(data) = entry.data() {
            return Self::data(entry, part, data);
        }
        let shortest = (LOCAL + name.len()) as u64;
        let room = entry.limit.saturating_sub(entry.header);
        if room < shortest.saturating_add(entry.compressed) {
            return Err(too_long(entry, name));
        }
        let all = shortest + u64::from(entry.extra) + SLACK;
        // A range may hold the whole value.
        let needs_all = entry.method == DEFLATED || part.within(entry.size) == (0..entry.size);
        let length = match at_once && needs_all {
            true => all.saturating_add(entry.compressed).min(room),
            false => shortest,
        };
        Ok(Self {
            part,
            range: ByteRange {
                offset: entry.header,
                length: in_memory(length)?,
            },
            at_header: true,
        })
    }

    /// Reads data that begins at `data`.
    fn data(entry: &ZipEntry, part: GetRange, data: u64) -> io::Result<Self> {
        let range = match entry.method {
            STORED => part.within(entry.size),
            _ => 0..entry.compressed,
        };
        Ok(Self {
            part,
            range: ByteRange {
                offset: data.saturating_add(range.start),
                length: in_memory(range.end - range.start)?,
            },
            at_header: false,
        })
    }

    /// The bytes that are needed next.
    pub fn range(&self) -> ByteRange {
        self.range
    }

    /// Takes the bytes that were needed.
    ///
    /// # Errors
    /// If they are not what the directory says of the entry.
    pub fn advance(self, entry: &ZipEntry, name: &str, mut bytes: Vec<u8>) -> io::Result<Next> {
        if !self.at_header {
            return self.finish(entry, name, bytes).map(Next::Value);
        }
        let header = LocalHeader::parse(&bytes).ok_or_else(|| wrong(name, "has no local header"))?;
        let stored_name = bytes.get(LOCAL..LOCAL + usize::from(header.name));
        if stored_name != Some(name.as_bytes()) || header.method != entry.method {
            return Err(wrong(name, "has a local header of another entry"));
        }
        let data = entry.header.saturating_add(header.length() as u64);
        if data.saturating_add(entry.compressed) > entry.limit {
            return Err(too_long(entry, name));
        }
        entry.set_header_length(header.length());
        let next = Self::data(entry, self.part, data)?;
        // The range lies behind the header, and may lie behind all bytes.
        let from = in_memory(next.range.offset - entry.header)?;
        match from.checked_add(next.range.length) {
            Some(end) if end <= bytes.len() => {
                bytes.truncate(end);
                bytes.drain(..from);
                next.finish(entry, name, bytes).map(Next::Value)
            }
            _ => Ok(Next::Read(next)),
        }
    }

    /// Makes the part of the value of its data.
    fn finish(self, entry: &ZipEntry, name: &str, data: Vec<u8>) -> io::Result<Vec<u8>> {
        // A range may hold the whole value: then the checksum can be checked.
        let is_whole = self.part.within(entry.size) == (0..entry.size);
        let value = match (entry.method, self.part) {
            (STORED, _) => data,
            _ if is_whole => inflate(&data, in_memory(entry.size)?)
                .ok_or_else(|| wrong(name, "does not inflate to its size"))?,
            (_, part) => inflate_part(&data, part, entry.size)
                .map_err(|_| wrong(name, "does not inflate to its size"))?,
        };
        if is_whole && crc32(&value) != entry.crc {
            return Err(wrong(name, "has a wrong checksum"));
        }
        Ok(value)
    }
}

/// Inflates a whole value.
fn inflate(data: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut value = zeros(size).ok()?;
    let found = Decompressor::new().deflate_decompress(data, &mut value);
    (found == Ok(size)).then_some(value)
}

/// Inflates the bytes up to the end of a part, and keeps the part.
fn inflate_part(data: &[u8], part: GetRange, size: u64) -> io::Result<Vec<u8>> {
    let within = part.within(size);
    let length = within.end - within.start;
    let mut stream = DeflateDecoder::new(data);
    let skipped = io::copy(&mut stream.by_ref().take(within.start), &mut io::sink())?;
    let mut value = Vec::new();
    stream.by_ref().take(length).read_to_end(&mut value)?;
    let ends = within.end < size || stream.read(&mut [0])? == 0;
    match skipped == within.start && value.len() as u64 == length && ends {
        true => Ok(value),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}
