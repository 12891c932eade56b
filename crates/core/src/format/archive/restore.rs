//! Restoring: an archive is read front to back, and becomes its original again.
//!
//! ```text
//! archive ─► block, in order ─► decode (all threads) ─► scatter ─► output ─► SHA-256, as far as all bytes are there
//! ```
//!
//! Blocks are found by their headers, so a pipe will do. The indexes are compared with what was found. The output is
//! committed by the caller, after the SHA-256 was compared here.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::block::{self, Content, Found, HEADER, Header};
use super::fields::{cut, damaged};
use super::filter::Scratch;
use super::footer::{FOOTER, Footer, decode_directory, decode_sha};
use super::front::{Front, PRELUDE, Prelude};
use super::index::Indexes;
use super::index_section;
use super::pack::Packed;
use super::scatter::Scatter;
use super::shares::Shares;
use crate::error::{Error, Result};
use crate::store::{Object, Output, object_stream};
use crate::threads;

/// Bytes that are hashed at once.
const HASHED: usize = 1 << 20;

/// The blocks of an archive, one after another.
pub(super) struct Blocks<R> {
    input: R,
    /// The front.
    pub front: Front,
    /// Position in the archive.
    at: u64,
    headers: u64,
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
        read_some(&mut input, PRELUDE as u64, &mut bytes)?;
        let prelude = Prelude::decode(&bytes)?;
        read_some(&mut input, prelude.front - PRELUDE as u64, &mut bytes)?;
        let front = Front::decode(&bytes)?;
        let streams = &front.streams;
        let places = (0..streams.list.len()).filter_map(|n| Some((streams.place(n, 0, 1)?.0, n)));
        Ok(Self {
            missing: places.collect(),
            next: vec![0; streams.list.len()],
            indexes: Indexes::new(streams.list.len(), prelude.front, memory),
            at: bytes.len() as u64,
            headers: 0,
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

    /// Reads the next block into `stored`. `None` after the last one, where each block was there once.
    ///
    /// # Errors
    /// A damaged header, a block out of order, a missing block.
    pub fn next(&mut self, stored: &mut Vec<u8>) -> Result<Option<Header>> {
        let mut bytes = Vec::with_capacity(HEADER);
        read_some(&mut self.input, HEADER as u64, &mut bytes)?;
        let header = match block::decode(&bytes)? {
            Found::Block(header) => header,
            Found::End(count) => {
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

/// Restores the original of an archive that is an object. See [`restore`].
///
/// # Errors
/// Those of [`restore`].
pub fn restore_object(
    object: &Arc<dyn Object>,
    output: &dyn Output,
    threads: usize,
    memory: Option<u64>,
) -> Result<Packed> {
    restore(object_stream(object.clone())?, output, threads, memory)
}

/// Restores the original of an archive. The output must be new, so that what is not written reads as zeros. It is not
/// committed. `memory` is the limit of memory for data, in bytes; `None` for as much as is useful.
///
/// # Errors
/// If the archive is damaged in any way, if the SHA-256 differs, or reading or writing fails.
pub fn restore(
    input: impl Read + Send,
    output: &dyn Output,
    threads: usize,
    memory: Option<u64>,
) -> Result<Packed> {
    let blocks = Blocks::open(input, Shares::index(memory))?;
    let front = blocks.front.clone();
    let streams = &front.streams;
    let cannot = |e| Error::io("cannot write", e);
    output.set_size(streams.original).map_err(cannot)?;
    output.write_all_at(0, &front.header).map_err(cannot)?;
    let lengths = streams.list.iter().map(|stream| stream.block_length(0) as u64);
    let shares = Shares::of(memory, threads, lengths.max().unwrap_or(0));
    let scatter = Scatter::new(output, streams, shares.open);
    let queue = Mutex::new(Queue {
        blocks,
        job: 0,
        ended: false,
    });
    let progress = Mutex::new(Progress {
        next: 0,
        done: BTreeMap::new(),
        reached: 0,
    });
    let hash = Mutex::new(Hash {
        sha: Sha256::new(),
        at: 0,
        buffer: Vec::new(),
    });
    let hashed = AtomicU64::new(0);
    let failure = Mutex::new(None);
    threads::on_all(shares.threads, |_, _| {
        let mut scratch = Scratch::default();
        let (mut stored, mut data) = (Vec::new(), Vec::new());
        let mut work = || -> Result<()> {
            while lock(&failure).is_none() {
                let Some((job, header, reached)) = next(&queue, &mut stored)? else {
                    return Ok(());
                };
                let stream = &streams.list[header.stream as usize];
                let start = header.number * u64::from(stream.block);
                match header.content {
                    Content::Repeated { element, .. } => {
                        let end =
                            ((header.number + header.run()) * u64::from(stream.block)).min(stream.length());
                        let element = &element[..stream.element as usize];
                        scatter.put_repeated(header.stream as usize, start, end, element)?;
                    }
                    Content::Stored { mask, .. } => {
                        header.check_stored(&stored)?;
                        stream.filters.decode(
                            stream.element as usize,
                            mask,
                            &stored,
                            &mut data,
                            stream.block_length(header.number),
                            &mut scratch,
                        )?;
                        scatter.put(header.stream as usize, start, &data)?;
                    }
                }
                let reached = lock(&progress).complete(job, reached).min(scatter.written_to());
                if reached.saturating_sub(hashed.load(Ordering::Relaxed)) >= HASHED as u64
                    && let Ok(mut hash) = hash.try_lock()
                {
                    hash.advance(output, reached)?;
                    hashed.store(hash.at, Ordering::Relaxed);
                }
            }
            Ok(())
        };
        if let Err(error) = work() {
            lock(&failure).get_or_insert(error);
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    scatter.finish()?;
    let mut hash = hash.into_inner().unwrap_or_else(PoisonError::into_inner);
    hash.advance(output, streams.original)?;
    let found: [u8; 32] = hash.sha.finalize().into();
    let queue = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (archive, sha256) = queue.blocks.finish()?;
    match found == sha256 {
        true => Ok(Packed {
            original: streams.original,
            archive,
            sha256,
        }),
        false => Err(damaged(
            "the SHA-256 of what was restored is not that of the original",
        )),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Queue<R> {
    blocks: Blocks<R>,
    job: u64,
    ended: bool,
}

/// The next block: its number, its header, and how far the original is complete after it.
fn next(queue: &Mutex<Queue<impl Read>>, stored: &mut Vec<u8>) -> Result<Option<(u64, Header, u64)>> {
    let mut queue = lock(queue);
    if queue.ended {
        return Ok(None);
    }
    let header = match queue.blocks.next(stored) {
        Ok(Some(header)) => header,
        other => {
            queue.ended = true;
            return other.map(|_| None);
        }
    };
    let job = queue.job;
    queue.job += 1;
    Ok(Some((job, header, queue.blocks.reached())))
}

/// Which jobs are done.
struct Progress {
    next: u64,
    done: BTreeMap<u64, u64>,
    reached: u64,
}

impl Progress {
    /// Adds a job that is done. Returns how far all bytes of the original are there.
    fn complete(&mut self, job: u64, reached: u64) -> u64 {
        self.done.insert(job, reached);
        while let Some(reached) = self.done.remove(&self.next) {
            self.reached = self.reached.max(reached);
            self.next += 1;
        }
        self.reached
    }
}

/// The SHA-256 of what was written.
struct Hash {
    sha: Sha256,
    at: u64,
    buffer: Vec<u8>,
}

impl Hash {
    fn advance(&mut self, output: &dyn Output, to: u64) -> Result<()> {
        while self.at < to {
            let count = (to - self.at).min(HASHED as u64) as usize;
            self.buffer.resize(count, 0);
            let read = output.read_back_at(self.at, &mut self.buffer);
            read.map_err(|e| Error::io("cannot read back what was restored, to check it", e))?;
            self.sha.update(&self.buffer);
            self.at += count as u64;
        }
        Ok(())
    }
}
