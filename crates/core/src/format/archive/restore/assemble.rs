//! Puts an original together from the blocks of its archive.
//!
//! ```text
//! archive ─► block, in order ─► decode (all threads) ─► scatter ─► output ─► SHA-256, as far as all bytes are there
//! ```

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::blocks::{Blocks, decode};
use super::scatter::Scatter;
use crate::error::{Error, Result};
use crate::format::archive::shares::Shares;
use crate::format::archive::structure::block::{Content, Header};
use crate::format::archive::structure::filter::Scratch;
use crate::format::archive::structure::front::Front;
use crate::store::Output;
use crate::threads;

/// Bytes that are hashed at once.
const HASHED: usize = 1 << 20;

/// Puts together the original of an archive.
pub(crate) struct Assembly<'a> {
    /// Where the original goes. Bytes that are not written read as zeros.
    pub output: &'a dyn Output,
    pub shares: Shares,
    /// Receives each block that cannot be decoded, and why. If it returns no error, the other blocks are decoded too, and no more
    /// is written.
    pub bad: &'a (dyn Fn(&Job, Error) -> Result<()> + Sync),
    /// Receives the position up to which the original was hashed. What is before it is not read again.
    pub hashed: &'a (dyn Fn(u64) + Sync),
    /// Bytes that may be complete and not hashed yet.
    pub lag: u64,
    /// Bytes of a repeated element that one job puts.
    pub part: u64,
}

/// A block, or a part of a run of blocks of one repeated element.
pub(crate) struct Job {
    /// Number of the job, in the order of the archive.
    pub number: u64,
    /// The header of the block.
    pub header: Header,
    /// The position of the header in the archive.
    pub at: u64,
    /// Bytes of the stream.
    bytes: Range<u64>,
    /// How far the original is complete after it.
    reached: u64,
}

impl Assembly<'_> {
    /// Puts all blocks into the output, which has the original's size. Returns the blocks at their end, and the SHA-256 of what
    /// was put together; `None` if a block cannot be decoded.
    ///
    /// # Errors
    /// Damaged block headers, those that `bad` returns, and failures of reading and writing.
    pub fn run<R: Read + Send>(&self, blocks: Blocks<R>) -> (Blocks<R>, Result<Option<[u8; 32]>>) {
        let front = blocks.front.clone();
        let queue = Mutex::new(Queue {
            blocks,
            job: 0,
            ended: false,
            run: None,
            part: self.part,
        });
        let done = self.put_all(&front, &queue);
        let queue = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        (queue.blocks, done)
    }

    fn put_all(&self, front: &Front, queue: &Mutex<Queue<impl Read + Send>>) -> Result<Option<[u8; 32]>> {
        let cannot = |e| Error::io("cannot write", e);
        self.output.write_all_at(0, &front.header).map_err(cannot)?;
        let scatter = Scatter::new(self.output, &front.streams, self.shares.open);
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
        let broken = AtomicBool::new(false);
        let failure = Mutex::new(None);
        threads::on_all(self.shares.threads, |_, _| {
            let mut scratch = Scratch::default();
            let (mut stored, mut data) = (Vec::new(), Vec::new());
            let mut work = || -> Result<()> {
                while lock(&failure).is_none() {
                    let Some(job) = next(queue, &mut stored)? else {
                        return Ok(());
                    };
                    if let Err(error) = decode(front, &job.header, &stored, &mut data, &mut scratch) {
                        (self.bad)(&job, error)?;
                        broken.store(true, Ordering::Relaxed);
                        (self.hashed)(u64::MAX);
                    }
                    if broken.load(Ordering::Relaxed) {
                        continue;
                    }
                    let stream = job.header.stream as usize;
                    match job.header.content {
                        Content::Repeated { element, .. } => {
                            let element = &element[..front.streams.list[stream].element as usize];
                            scatter.put_repeated(stream, job.bytes.start, job.bytes.end, element)?;
                        }
                        Content::Stored { .. } => scatter.put(stream, job.bytes.start, &data)?,
                    }
                    let complete = lock(&progress).complete(job.number, job.reached);
                    let reached = complete.min(scatter.written_to());
                    let lag = reached.saturating_sub(hashed.load(Ordering::Relaxed));
                    let turn = match lag {
                        lag if lag < HASHED as u64 => None,
                        // Others would go on faster than the hash.
                        lag if lag > self.lag => Some(lock(&hash)),
                        _ => hash.try_lock().ok(),
                    };
                    if let Some(mut hash) = turn {
                        self.advance(&mut hash, reached)?;
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
        if broken.into_inner() {
            return Ok(None);
        }
        scatter.finish()?;
        let mut hash = hash.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.advance(&mut hash, front.streams.original)?;
        Ok(Some(hash.sha.finalize().into()))
    }

    fn advance(&self, hash: &mut Hash, to: u64) -> Result<()> {
        while hash.at < to {
            let count = (to - hash.at).min(HASHED as u64) as usize;
            hash.buffer.resize(count, 0);
            let read = self.output.read_back_at(hash.at, &mut hash.buffer);
            read.map_err(|e| Error::io("cannot read back what was restored, to check it", e))?;
            hash.sha.update(&hash.buffer);
            hash.at += count as u64;
            (self.hashed)(hash.at);
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Queue<R> {
    blocks: Blocks<R>,
    job: u64,
    ended: bool,
    /// The part of a run that is left: header, position of the header, bytes of the stream.
    run: Option<(Header, u64, Range<u64>)>,
    /// Most bytes of a run in one job, but for a block that is longer.
    part: u64,
}

impl<R: Read> Queue<R> {
    /// The job of a block, or of the first part of a run.
    fn job(&mut self, header: Header, at: u64, bytes: Range<u64>) -> Job {
        let streams = &self.blocks.front.streams;
        let stream = header.stream as usize;
        let block = u64::from(streams.list[stream].block);
        let end = bytes
            .start
            .saturating_add((self.part / block).max(1).saturating_mul(block));
        let mut job = Job {
            number: self.job,
            header,
            at,
            reached: self.blocks.reached(),
            bytes: bytes.clone(),
        };
        self.job += 1;
        if end < bytes.end {
            job.bytes.end = end;
            let missing = streams.place(stream, end, 1).map_or(u64::MAX, |place| place.0);
            job.reached = job.reached.min(missing);
            self.run = Some((header, at, end..bytes.end));
        }
        job
    }
}

/// The next job, with the stored bytes of its block.
fn next(queue: &Mutex<Queue<impl Read>>, stored: &mut Vec<u8>) -> Result<Option<Job>> {
    let mut queue = lock(queue);
    if let Some((header, at, bytes)) = queue.run.take() {
        stored.clear();
        return Ok(Some(queue.job(header, at, bytes)));
    }
    if queue.ended {
        return Ok(None);
    }
    let at = queue.blocks.at();
    let header = match queue.blocks.next(stored) {
        Ok(Some(header)) => header,
        other => {
            queue.ended = true;
            return other.map(|_| None);
        }
    };
    let stream = &queue.blocks.front.streams.list[header.stream as usize];
    let block = u64::from(stream.block);
    let end = header.number.saturating_add(header.run()).saturating_mul(block);
    let bytes = header.number * block..end.min(stream.length());
    Ok(Some(queue.job(header, at, bytes)))
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
