//! The blocks of an archive, from front to back.
//!
//! Blocks are found by their headers, so a pipe will do. The indexes are compared with what was found.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::ReadValues;
use crate::format::archive::index::index_section;
use crate::format::archive::index::stream_index::Indexes;
use crate::format::archive::structure::block::{self, BlockOrEnd, Content, HEADER, Header};
use crate::format::archive::structure::fields::{cut, damaged, truncated_front};
use crate::format::archive::structure::filter::Scratch;
use crate::format::archive::structure::footer::{FOOTER, Footer, decode_directory, decode_sha};
use crate::format::archive::structure::front::{Front, PRELUDE, Prelude};
use crate::store::{Object, object_stream};

/// The blocks of an archive, one after another.
pub(crate) struct Blocks<R> {
    input: R,
    /// The front.
    pub front: Front,
    /// Position in the archive.
    at: u64,
    headers: u64,
    /// Stored bytes of all blocks so far.
    stored: u64,
    /// The next block of each stream.
    next: Vec<u64>,
    indexes: Indexes,
    /// Place of the first missing byte of each stream that is not complete.
    missing: BTreeSet<(u64, usize)>,
}

impl<R: Read> Blocks<R> {
    /// Reads the front. Entries of indexes, which are compared with the back, take about `memory` bytes of memory.
    ///
    /// # Errors
    /// A damaged front.
    pub fn open(mut input: R, memory: u64) -> Result<Self> {
        let mut bytes = Vec::new();
        let in_front = |error: Error| match error.is_truncated() {
            true => truncated_front(),
            false => error,
        };
        read_some(&mut input, PRELUDE as u64, &mut bytes).map_err(in_front)?;
        let prelude = Prelude::decode(&bytes)?;
        read_some(&mut input, prelude.front - PRELUDE as u64, &mut bytes).map_err(in_front)?;
        let front = Front::decode(&bytes)?;
        let streams = &front.streams;
        let places = (0..streams.list.len()).filter_map(|n| Some((streams.place(n, 0, 1)?.0, n)));
        Ok(Self {
            missing: places.collect(),
            next: vec![0; streams.list.len()],
            indexes: Indexes::new(streams.list.len(), prelude.front, memory),
            at: bytes.len() as u64,
            headers: 0,
            stored: 0,
            input,
            front,
        })
    }

    /// The position of the first byte of the original that no block so far has.
    pub fn reached(&self) -> u64 {
        self.missing
            .first()
            .map_or(self.front.streams.original, |first| first.0)
    }

    /// The position in the archive: that of the next block header.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The blocks that were read so far.
    pub fn read_values(&self) -> ReadValues {
        ReadValues {
            chunks: self.headers,
            bytes: self.stored,
        }
    }

    /// Reads the next block into `stored`. `None` after the last one, where each block was there once.
    ///
    /// # Errors
    /// A damaged header, a block out of order, a missing block.
    pub fn next(&mut self, stored: &mut Vec<u8>) -> Result<Option<Header>> {
        let mut bytes = Vec::with_capacity(HEADER);
        read_some(&mut self.input, HEADER as u64, &mut bytes)?;
        let header = match block::decode(&bytes)? {
            BlockOrEnd::Block(header) => header,
            BlockOrEnd::End(count) => {
                self.at += HEADER as u64;
                let complete = self.missing.is_empty() && count == self.headers;
                return match complete {
                    true => Ok(None),
                    false => Err(damaged("blocks are missing")),
                };
            }
        };
        let n = header.stream as usize;
        let streams = &self.front.streams;
        let stream = streams
            .list
            .get(n)
            .ok_or_else(|| damaged(format!("a block of stream {n}, which there is not")))?;
        let next = header.number.checked_add(header.run());
        let next = next.filter(|next| header.number == self.next[n] && *next <= stream.blocks());
        let next =
            next.ok_or_else(|| damaged(format!("block {} of stream {n} is out of order", header.number)))?;
        if header.stored() > stream.block_length(header.number) {
            return Err(damaged(format!(
                "block {} of stream {n} is longer than it was",
                header.number
            )));
        }
        stored.clear();
        read_some(&mut self.input, header.stored() as u64, stored)?;
        self.indexes.push(&header, self.at)?;
        let block = u64::from(stream.block);
        if let Some((place, _)) = streams.place(n, header.number * block, 1) {
            self.missing.remove(&(place, n));
        }
        if let Some((place, _)) = streams.place(n, next.saturating_mul(block), 1) {
            self.missing.insert((place, n));
        }
        self.next[n] = next;
        self.at += (HEADER + header.stored()) as u64;
        self.headers += 1;
        self.stored += header.stored() as u64;
        Ok(Some(header))
    }

    /// Reads the back, and compares it with the blocks that were found. Returns the length of the archive and the SHA-256 of the
    /// original.
    ///
    /// # Errors
    /// A back that does not fit the blocks, and bytes after it.
    pub fn finish(mut self) -> Result<(u64, [u8; 32])> {
        let back = self.at;
        let mut places = Vec::with_capacity(self.indexes.list().len());
        for (n, index) in self.indexes.list().iter().enumerate() {
            let length = index_section::compare(&mut self.input, index, n)?;
            places.push((self.at, length));
            self.at += length;
        }
        // The directory has 16 bytes a stream.
        let most = (places.len() as u64 * 16).saturating_add(1 << 20);
        let mut rest = Vec::new();
        let read = self.input.by_ref().take(most).read_to_end(&mut rest);
        read.map_err(|e| Error::io("cannot read", e))?;
        let length = self.at + rest.len() as u64;
        let (rest, footer) = rest
            .split_at_checked(rest.len().wrapping_sub(FOOTER))
            .ok_or_else(cut)?;
        let footer = Footer::decode(footer, length)?;
        if footer.back != back || footer.directory != self.at {
            return Err(damaged("the back does not begin behind the blocks"));
        }
        let (directory, sha) = rest
            .split_at_checked((footer.sha - footer.directory) as usize)
            .ok_or_else(cut)?;
        if decode_directory(directory, &footer, &self.front.streams)? != places {
            return Err(damaged("the directory does not tell of the indexes"));
        }
        Ok((length, decode_sha(sha)?))
    }
}

/// Appends exactly `count` bytes of a stream. Memory grows only with bytes that exist.
fn read_some(input: &mut impl Read, count: u64, into: &mut Vec<u8>) -> Result<()> {
    if count <= 1 << 20 {
        let old = into.len();
        into.resize(old + count as usize, 0);
        return input.read_exact(&mut into[old..]).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => cut(),
            _ => Error::io("cannot read", e),
        });
    }
    let read = input.by_ref().take(count).read_to_end(into);
    match read.map_err(|e| Error::io("cannot read", e))? as u64 == count {
        true => Ok(()),
        false => Err(cut()),
    }
}

/// Reads an archive from its beginning to its end. A pipe is read as it comes, and cannot be read otherwise afterwards.
///
/// # Errors
/// If the object does not tell its size.
pub(crate) fn stream_of(source: &Arc<dyn Object>) -> Result<Box<dyn Read + Send>> {
    match source.take_stream() {
        Some(stream) => Ok(stream),
        None => Ok(Box::new(object_stream(source.clone())?)),
    }
}

/// Decodes a stored block. A repeated element leaves `data` empty.
///
/// # Errors
/// A wrong checksum, and bytes that cannot be decoded.
pub(crate) fn decode(
    front: &Front,
    header: &Header,
    stored: &[u8],
    data: &mut Vec<u8>,
    scratch: &mut Scratch,
) -> Result<()> {
    data.clear();
    let stream = &front.streams.list[header.stream as usize];
    let Content::Stored { mask, .. } = header.content else {
        return Ok(());
    };
    header.check_stored(stored)?;
    let length = stream.block_length(header.number);
    stream
        .filters
        .decode(stream.element as usize, mask, stored, data, length, scratch)
}
