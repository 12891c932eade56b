//! Puts an original together from the blocks of its archive.
//!
//! ```text
//! archive ─► block, in order ─► decode (all threads) ─► scatter ─► output ─► SHA-256, as far as all bytes are there
//! ```

use std::io::Read;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::blocks::{Blocks, decode};
use super::scatter::Scatter;
use crate::error::{Error, Result};
use crate::format::archive::shares::Shares;
use crate::format::archive::structure::block::Header;
use crate::format::archive::structure::filter::Scratch;
use crate::format::archive::structure::front::Front;
use crate::store::Output;
use crate::threads::in_order;

/// Bytes that are hashed at once.
const HASHED: usize = 1 << 20;

/// Puts together the original of an archive.
pub(crate) struct Assembly<'a> {
    /// Where the original goes. Bytes that are not written read as zeros.
    pub output: &'a dyn Output,
    pub shares: Shares,
    /// Receives each block that cannot be decoded, and why. If it returns no error, the other blocks are decoded too, and no more
    /// is written.
    pub bad: &'a (dyn Fn(&RestoreJob, Error) -> Result<()> + Sync),
    /// Receives the position up to which the original was hashed. What is before it is not read again.
    pub hashed: &'a (dyn Fn(u64) + Sync),
    /// Bytes that may be complete and not hashed yet.
    pub lag: u64,
    /// Bytes of a repeated element that one job puts.
    pub part: u64,
}

/// A block, or a part of a run of blocks of one repeated element.
pub(crate) struct RestoreJob {
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
        let mut queue = Queue {
            blocks,
            job: 0,
            run: None,
            part: self.part,
        };
        let done = self.put_all(&front, &mut queue);
        (queue.blocks, done)
    }

    fn put_all(&self, front: &Front, queue: &mut Queue<impl Read + Send>) -> Result<Option<[u8; 32]>> {
        let cannot = |e| Error::io("cannot write", e);
        self.output.write_all_at(0, &front.header).map_err(cannot)?;
        let scatter = Scatter::new(self.output, &front.streams, self.shares.open);
        let hash = Mutex::new(Hash {
            sha: Sha256::new(),
            at: 0,
            buffer: Vec::new(),
        });
        let (hashed, mut complete) = (AtomicU64::new(0), 0);
        let broken = AtomicBool::new(false);
        in_order(
            self.shares.threads,
            u64::MAX,
            || Ok(Worker::default()),
            |worker| queue.next(&mut worker.stored),
            |worker, job| {
                if let Err(error) = worker.decode(front, &job.header) {
                    (self.bad)(&job, error)?;
                    broken.store(true, Ordering::Relaxed);
                    (self.hashed)(u64::MAX);
                }
                if !broken.load(Ordering::Relaxed) {
                    scatter.put_block(&job.header, job.bytes, &worker.data)?;
                }
                if job.reached.saturating_sub(hashed.load(Ordering::Relaxed)) > self.lag {
                    // Others would go on faster than the hash.
                    drop(lock(&hash));
                }
                Ok(job.reached)
            },
            |reached| {
                complete = reached.max(complete);
                let reached = complete.min(scatter.written_to());
                let lag = reached.saturating_sub(hashed.load(Ordering::Relaxed));
                if lag >= HASHED as u64 && !broken.load(Ordering::Relaxed) {
                    self.advance(&mut lock(&hash), reached)?;
                    hashed.store(reached, Ordering::Relaxed);
                }
                Ok(())
            },
        )?;
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

/// What a thread that decodes blocks keeps.
#[derive(Default)]
struct Worker {
    scratch: Scratch,
    /// The stored bytes of the block.
    stored: Vec<u8>,
    /// The decoded block.
    data: Vec<u8>,
}

impl Worker {
    fn decode(&mut self, front: &Front, header: &Header) -> Result<()> {
        decode(front, header, &self.stored, &mut self.data, &mut self.scratch)
    }
}

struct Queue<R> {
    blocks: Blocks<R>,
    job: u64,
    /// The part of a run that is left: header, position of the header, bytes of the stream.
    run: Option<(Header, u64, Range<u64>)>,
    /// Most bytes of a run in one job, but for a block that is longer.
    part: u64,
}

impl<R: Read> Queue<R> {
    /// The job of a block, or of the first part of a run.
    fn job(&mut self, header: Header, at: u64, bytes: Range<u64>) -> RestoreJob {
        let streams = &self.blocks.front.streams;
        let stream = header.stream as usize;
        let block = u64::from(streams.list[stream].block);
        let end = bytes
            .start
            .saturating_add((self.part / block).max(1).saturating_mul(block));
        let mut job = RestoreJob {
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

    /// The next job, with the stored bytes of its block.
    fn next(&mut self, stored: &mut Vec<u8>) -> Result<Option<RestoreJob>> {
        if let Some((header, at, bytes)) = self.run.take() {
            stored.clear();
            return Ok(Some(self.job(header, at, bytes)));
        }
        let at = self.blocks.at();
        let Some(header) = self.blocks.next(stored)? else {
            return Ok(None);
        };
        let bytes = self.blocks.front.streams.list[header.stream as usize].bytes(&header);
        Ok(Some(self.job(header, at, bytes)))
    }
}

/// The SHA-256 of what was written.
struct Hash {
    sha: Sha256,
    at: u64,
    buffer: Vec<u8>,
}
