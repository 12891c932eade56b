//! An archive that is open for reading at random.
//!
//! ```text
//! first 64 KiB ─► front          last 64 KiB ─► footer ─► directory, SHA-256
//! index of a stream, when it is first needed ─► runs of neighbouring blocks ─► decoded ─► cache
//! ```

use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::chunk::fill_pattern;
use crate::error::{Error, Result};
use crate::format::archive::index::entry::StreamEntry;
use crate::format::archive::index::entry_store::EntryStore;
use crate::format::archive::index::stream_index::StreamIndex;
use crate::format::archive::restore::blocks::decode;
use crate::format::archive::structure::back::{Back, END};
use crate::format::archive::structure::block::{self, BlockOrEnd, Content, HEADER, Header};
use crate::format::archive::structure::fields::{cut, damaged, truncated_front};
use crate::format::archive::structure::filter::Scratch;
use crate::format::archive::structure::front::{Front, PRELUDE, Prelude};
use crate::format::archive::structure::read::read;
use crate::format::archive::structure::streams::Streams;
use crate::store::{BoundedCache, Object, known_size};

/// Most bytes of a front that are read at once.
const FRONT_AT_ONCE: u64 = 8 << 20;

/// Most bytes of blocks that one request reads.
const RUN: u64 = 8 << 20;

/// Most bytes of decoded blocks that are kept.
const CACHE: u64 = 32 << 20;

/// Bytes that a block is charged with besides its own.
const AROUND: usize = 160;

/// Most bytes of memory for the entries of indexes.
const INDEXES: u64 = 8 << 20;

/// An open archive.
pub(crate) struct Archive {
    pub source: Arc<dyn Object>,
    /// The front.
    pub front: Front,
    /// What stands behind the blocks. Of a pipe, it is read when the first index is needed.
    back: OnceLock<Back>,
    indexes: Vec<OnceLock<Arc<StreamIndex>>>,
    /// Room for the entries of indexes.
    store: OnceLock<EntryStore>,
    /// Decoded blocks, by stream and number.
    cache: BoundedCache<(usize, u64), Arc<Vec<u8>>>,
}

impl Archive {
    /// Opens an archive: one request for its front and one for its back, if both are small. Of a pipe whose end has not come,
    /// only the front is read.
    ///
    /// # Errors
    /// The structure that is damaged.
    pub fn open(source: Arc<dyn Object>) -> Result<Self> {
        Self::open_with(source, false)
    }

    /// Opens an archive whose back may be missing or damaged. Then it is as that of a pipe whose end has not come.
    ///
    /// # Errors
    /// A damaged front; a source that fails.
    pub fn open_damaged(source: Arc<dyn Object>) -> Result<Self> {
        Self::open_with(source, true)
    }

    fn open_with(source: Arc<dyn Object>, may_lack_back: bool) -> Result<Self> {
        let size = source.size().map_err(|e| Error::io("cannot read", e))?;
        let first = size.map_or(PRELUDE as u64, |size| size.min(END));
        let mut head = read(&*source, 0..first)?;
        let prelude = Prelude::decode(head.get(..PRELUDE).ok_or_else(truncated_front)?)?;
        if size.is_some_and(|size| prelude.front > size) {
            return Err(truncated_front());
        }
        // A pipe may say that its front is longer than all that comes.
        while prelude.front > head.len() as u64 {
            let at = head.len() as u64;
            head.extend(read(&*source, at..prelude.front.min(at + FRONT_AT_ONCE))?);
        }
        let front = Front::decode(head.get(..prelude.front as usize).ok_or_else(truncated_front)?)?;
        let back = OnceLock::new();
        if let Some(size) = size {
            match Back::read(&*source, size, &front, &head) {
                Ok(found) => drop(back.set(found)),
                Err(error) if may_lack_back && !error.is_failure() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self {
            indexes: front.streams.list.iter().map(|_| OnceLock::new()).collect(),
            source,
            front,
            back,
            store: OnceLock::new(),
            cache: BoundedCache::new(CACHE as usize),
        })
    }

    /// What stands behind the blocks. A pipe is read to its end for it.
    fn back(&self) -> Result<&Back> {
        if let Some(back) = self.back.get() {
            return Ok(back);
        }
        let back = Back::read(&*self.source, known_size(&*self.source)?, &self.front, &[])?;
        Ok(self.back.get_or_init(|| back))
    }

    /// The SHA-256 of the original. A pipe is read to its end for it.
    ///
    /// # Errors
    /// If the back cannot be read or is damaged.
    pub fn sha256(&self) -> Result<[u8; 32]> {
        Ok(self.back()?.sha256)
    }

    /// The SHA-256 of the original; `None` for a pipe whose end has not come.
    pub fn known_sha256(&self) -> Option<[u8; 32]> {
        self.back.get().map(|back| back.sha256)
    }

    /// Keeps at most `bytes` bytes of decoded blocks, and as many of indexes, before anything is read.
    pub fn keep_at_most(&self, bytes: u64) {
        self.cache.set_most(bytes.min(CACHE) as usize);
        let _ = self.store.set(EntryStore::of(bytes.min(INDEXES)));
    }

    /// The streams.
    pub fn streams(&self) -> &Streams {
        &self.front.streams
    }

    /// The index of a stream.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn index(&self, stream: usize) -> Result<Arc<StreamIndex>> {
        let slot = self.indexes.get(stream).ok_or_else(cut)?;
        if let Some(index) = slot.get() {
            return Ok(index.clone());
        }
        let store = self.store.get_or_init(|| EntryStore::of(INDEXES));
        let index = self.back()?.index(&*self.source, &self.front, stream, store)?;
        Ok(slot.get_or_init(|| Arc::new(index)).clone())
    }

    /// Fills `buf` with bytes of a stream from position `linear` on.
    ///
    /// # Errors
    /// If a block cannot be read or is damaged, or the stream ends before.
    pub fn read(&self, stream: usize, linear: u64, buf: &mut [u8]) -> Result<()> {
        let of = self.streams().list.get(stream).ok_or_else(cut)?;
        // A variable whose bytes another stream has, has a stream that ends early.
        if buf.is_empty() {
            return Ok(());
        }
        let end = linear.checked_add(buf.len() as u64);
        if end.is_none_or(|end| end > of.length()) {
            return Err(damaged(format!(
                "stream {stream} ends before the bytes that are asked for"
            )));
        }
        let block = u64::from(of.block);
        let at_once = (RUN / (block + HEADER as u64)).max(1);
        let index = self.index(stream)?;
        let (mut linear, mut buf) = (linear, buf);
        while !buf.is_empty() {
            let first = linear / block;
            let last = (linear + buf.len() as u64 - 1) / block;
            let last = last.min(first + at_once - 1);
            let end = ((last + 1) * block).min(linear + buf.len() as u64);
            let (now, rest) = std::mem::take(&mut buf).split_at_mut((end - linear) as usize);
            self.read_blocks(stream, &index, first..last + 1, linear, now)?;
            (linear, buf) = (end, rest);
        }
        Ok(())
    }

    /// Fills `buf` with bytes of these blocks, from position `linear` of the stream on.
    fn read_blocks(
        &self,
        stream: usize,
        index: &StreamIndex,
        blocks: Range<u64>,
        linear: u64,
        buf: &mut [u8],
    ) -> Result<()> {
        let block = u64::from(self.streams().list[stream].block);
        let wanted = self.fill_known(stream, index, blocks, linear, buf)?;
        let mut scratch = Scratch::default();
        let mut decoded = Vec::new();
        for run in wanted.chunk_by(|a, b| a.at + a.stored() as u64 == b.at) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            let bytes = read(&*self.source, first.at..last.at + last.stored() as u64)?;
            let mut rest = bytes.as_slice();
            for entry in run {
                let (now, after) = rest.split_at(entry.stored());
                rest = after;
                self.decode(stream, entry, now, &mut decoded, &mut scratch)?;
                let start = entry.number * block;
                copy_part(&decoded, start, linear, buf);
                // A block that was asked for as a whole is not asked for soon again.
                let whole = start >= linear && start + decoded.len() as u64 <= linear + buf.len() as u64;
                if !whole {
                    self.keep(stream, entry.number, std::mem::take(&mut decoded));
                }
            }
        }
        Ok(())
    }

    /// Fills `buf`, which begins at position `linear` of the stream, with what is known of these blocks without a request.
    /// Returns the blocks that must be read.
    ///
    /// # Errors
    /// If the index does not have them.
    pub(super) fn fill_known(
        &self,
        stream: usize,
        index: &StreamIndex,
        blocks: Range<u64>,
        linear: u64,
        buf: &mut [u8],
    ) -> Result<Vec<StreamEntry>> {
        let of = &self.streams().list[stream];
        let mut wanted = Vec::new();
        for number in blocks {
            let start = number * u64::from(of.block);
            if let Some(block) = self.cache.get(&(stream, number)) {
                copy_part(&block, start, linear, buf);
                continue;
            }
            let entry = index.find(number)?.ok_or_else(cut)?;
            match entry.content {
                Content::Stored { .. } => wanted.push(entry),
                Content::Repeated { element, .. } => {
                    let element = &element[..of.element as usize];
                    fill_part(element, start, of.block_length(number), linear, buf);
                }
            }
        }
        Ok(wanted)
    }

    /// The header of a block of which `bytes` are the header and the stored bytes, which are returned too.
    fn opened<'b>(&self, stream: usize, entry: &StreamEntry, bytes: &'b [u8]) -> Result<(Header, &'b [u8])> {
        let (header, stored) = bytes.split_at_checked(HEADER).ok_or_else(cut)?;
        match block::decode(header)? {
            BlockOrEnd::Block(header) if entry.agrees(stream, &header) => Ok((header, stored)),
            _ => Err(damaged(format!(
                "block {} of stream {stream} is not where the index has it",
                entry.number
            ))),
        }
    }

    /// Checks and decodes a block. `bytes` are its header and stored bytes.
    pub fn decode(
        &self,
        stream: usize,
        entry: &StreamEntry,
        bytes: &[u8],
        out: &mut Vec<u8>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let (header, stored) = self.opened(stream, entry, bytes)?;
        decode(&self.front, &header, stored, out, scratch)
    }

    /// The stored bytes of a block, checked.
    ///
    /// # Errors
    /// If the block cannot be read or is damaged.
    pub fn stored(&self, stream: usize, entry: &StreamEntry) -> Result<Vec<u8>> {
        let mut bytes = read(&*self.source, entry.at..entry.at + entry.stored() as u64)?;
        let (header, stored) = self.opened(stream, entry, &bytes)?;
        header.check_stored(stored)?;
        bytes.drain(..HEADER);
        Ok(bytes)
    }

    /// Keeps a block, unless it takes more than half of the room.
    pub(crate) fn keep(&self, stream: usize, number: u64, block: Vec<u8>) {
        let cost = block.len() + AROUND;
        if cost <= self.cache.most() / 2 {
            self.cache.keep((stream, number), Arc::new(block), cost);
        }
    }

    /// Fills `buf` with bytes of the original from position `at` on.
    ///
    /// # Errors
    /// If a block cannot be read or is damaged, or the original ends before.
    pub fn read_original(&self, mut at: u64, mut buf: &mut [u8]) -> Result<()> {
        let header = &self.front.header;
        let end = at.checked_add(buf.len() as u64);
        if end.is_none_or(|end| end > self.streams().original) {
            return Err(Error::io("cannot read", io::ErrorKind::UnexpectedEof.into()));
        }
        if let Some(known) = usize::try_from(at).ok().and_then(|at| header.get(at..)) {
            let count = known.len().min(buf.len());
            let (now, rest) = std::mem::take(&mut buf).split_at_mut(count);
            now.copy_from_slice(&known[..count]);
            (at, buf) = (at + count as u64, rest);
        }
        while !buf.is_empty() {
            let segment = self
                .streams()
                .locate(at, at + buf.len() as u64)
                .ok_or_else(|| damaged("a byte of the original is in no stream"))?;
            let (now, rest) = std::mem::take(&mut buf).split_at_mut(segment.length as usize);
            self.read(segment.stream, segment.linear, now)?;
            (at, buf) = (at + segment.length, rest);
        }
        Ok(())
    }
}

/// The part of `buf`, which begins at `linear`, that a block at `start` covers, and where it begins in the block.
fn meeting(start: u64, length: usize, linear: u64, buf: &mut [u8]) -> (&mut [u8], usize) {
    let skip = linear.saturating_sub(start) as usize;
    let from = (start.saturating_sub(linear) as usize).min(buf.len());
    let count = length.saturating_sub(skip).min(buf.len() - from);
    (&mut buf[from..from + count], skip)
}

pub(crate) fn copy_part(block: &[u8], start: u64, linear: u64, buf: &mut [u8]) {
    let (part, skip) = meeting(start, block.len(), linear, buf);
    part.copy_from_slice(&block[skip..skip + part.len()]);
}

pub(crate) fn fill_part(element: &[u8], start: u64, length: usize, linear: u64, buf: &mut [u8]) {
    let (part, skip) = meeting(start, length, linear, buf);
    let phase = skip % element.len();
    let first = (element.len() - phase).min(part.len());
    let (head, rest) = part.split_at_mut(match phase {
        0 => 0,
        _ => first,
    });
    head.copy_from_slice(&element[phase..phase + head.len()]);
    fill_pattern(rest, element);
}

/// The original of an archive as a sequence of bytes.
pub(crate) struct Original(pub Arc<Archive>);

impl Object for Original {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.0.streams().original))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buf.len() as u64);
        if end.is_none_or(|end| end > self.0.streams().original) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.0.read_original(offset, buf).map_err(|e| match e {
            Error::Io { cause, .. } => cause,
            other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
        })
    }

    fn requests(&self) -> crate::store::Requests {
        self.0.source.requests()
    }
}

/// The header of the original alone. What follows it reads as zeros, and takes no request.
pub(crate) struct OriginalHeader<'a>(pub &'a Front);

impl Object for OriginalHeader<'_> {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.0.streams.original))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        buf.fill(0);
        let header = usize::try_from(offset)
            .ok()
            .and_then(|at| self.0.header.get(at..));
        if let Some(known) = header {
            let count = known.len().min(buf.len());
            buf[..count].copy_from_slice(&known[..count]);
        }
        Ok(())
    }
}
