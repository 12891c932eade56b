//! A block of output chunks being filled from input pieces, by one thread or by many.
//!
//! ```text
//! piece ─► scatter ─► stripe 0 │ stripe 1 │ …      filling: one lock a stripe
//!                        └─► encode ─► Writer       emptying, once every piece is in
//! ```
//!
//! A stripe is a run of chunks in one buffer. Threads that fill take a stripe's lock for as long as one copy
//! takes; with one buffer a stripe no two of them need the same bytes. They walk the stripes from different ones on, as
//! threads that begin at the same one would follow each other from lock to lock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::order::Block;
use crate::chunk::{ChunkGrid, Region, resize};
use crate::error::Result;

/// A stripe is at least this long, in bytes, so that a lock and a job are worth it.
const STRIPE: u64 = 256 << 10;

/// A block whose pieces are scattered by several jobs.
pub(super) struct SharedBlock {
    pub block: Block,
    /// Stripes as chunks of the box of the block's chunks.
    stripes: ChunkGrid,
    buffers: Vec<Mutex<Vec<u8>>>,
    filling: Mutex<Filling>,
    filled: Condvar,
    /// How many walks over the stripes have begun.
    walks: AtomicUsize,
    emptying: Mutex<u64>,
    /// Bytes of memory that it was admitted with.
    pub memory: u64,
}

#[derive(Default)]
struct Filling {
    jobs: u64,
    failed: bool,
}

impl SharedBlock {
    /// A block of chunks of `chunk_bytes`.
    pub fn new(block: Block, chunk_bytes: u64, memory: u64) -> Result<Self> {
        let shape = stripe_shape(&block.span.count, STRIPE / chunk_bytes.max(1));
        let stripes = ChunkGrid::new(&block.span.count, &shape)?;
        let buffers = (0..stripes.len()).map(|_| Mutex::default()).collect::<Vec<_>>();
        Ok(Self {
            block,
            emptying: Mutex::new(buffers.len() as u64),
            stripes,
            buffers,
            filling: Mutex::default(),
            filled: Condvar::new(),
            walks: AtomicUsize::new(0),
            memory,
        })
    }

    /// Says how many jobs will fill it, before any of them begins.
    pub fn expect(&self, jobs: u64) {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner).jobs = jobs;
    }

    /// How many stripes there are.
    pub fn stripe_count(&self) -> usize {
        self.buffers.len()
    }

    /// The chunks of a stripe: as a box of the variable's grid, and as places in the order of writing.
    pub fn stripe(&self, n: usize) -> Block {
        let mut span = self.stripes.region(n as u64);
        let mut first = self.block.first;
        let mut behind = 1;
        for (at, length) in span.start.iter().zip(&self.block.span.count).rev() {
            first += at * behind;
            behind *= length;
        }
        for (at, start) in span.start.iter_mut().zip(&self.block.span.start) {
            *at += start;
        }
        let chunks = span.element_count().unwrap_or(0);
        Block {
            span,
            first,
            end: first + chunks,
        }
    }

    /// The stripes that chunks of `span` (of the variable's grid) are in, from another one on at each call, such that
    /// `threads` calls in turn begin as far from each other as they can.
    pub fn stripes_in(&self, span: &Region, threads: usize) -> Vec<usize> {
        let chunks = self.stripes.chunks_in(&span.relative_to(&self.block.span.start));
        let mut stripes: Vec<usize> = chunks.map(|n| n as usize).collect();
        let turn = self.walks.fetch_add(1, Ordering::Relaxed) % threads.max(1);
        let first = turn * (stripes.len() / threads.max(1));
        stripes.rotate_left(first);
        stripes
    }

    /// The buffer of a stripe, for as long as the guard lives.
    pub fn buffer(&self, n: usize) -> MutexGuard<'_, Vec<u8>> {
        self.buffers[n].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One job that fills is over.
    pub fn job_done(&self, ok: bool) {
        let mut filling = self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        filling.jobs = filling.jobs.saturating_sub(1);
        filling.failed |= !ok;
        if filling.jobs == 0 {
            self.filled.notify_all();
        }
    }

    /// Waits until all jobs that fill are over; false where one failed.
    pub fn wait_filled(&self) -> bool {
        let mut filling = self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        while filling.jobs > 0 {
            filling = self.filled.wait(filling).unwrap_or_else(PoisonError::into_inner);
        }
        !filling.failed
    }

    /// Whether all jobs that fill are over.
    pub fn is_filled(&self) -> bool {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner).jobs == 0
    }

    /// One stripe has been emptied; true for the last.
    pub fn stripe_done(&self) -> bool {
        let mut left = self.emptying.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(1);
        *left == 0
    }
}

/// The largest box of at most `most` chunks (and at least one) that is one thick, then some, then whole: its chunks
/// follow each other.
fn stripe_shape(counts: &[u64], most: u64) -> Vec<u64> {
    let mut shape = vec![1; counts.len()];
    let mut left = most.max(1);
    for (s, n) in shape.iter_mut().zip(counts).rev() {
        *s = left.clamp(1, (*n).max(1));
        if *s < *n {
            break;
        }
        left /= (*n).max(1);
    }
    shape
}

/// Buffers of stripes between one block and the next. What it holds stays on the account of the block that gave it, until
/// the next block claims it or room is needed.
#[derive(Default)]
pub(super) struct Pool {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    buffers: Vec<Vec<u8>>,
    /// Bytes that are on the account for them.
    charged: u64,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A buffer of `size` bytes, of any content.
    pub fn take(&self, size: usize) -> Result<Vec<u8>> {
        let kept = {
            let mut kept = self.lock();
            match kept.buffers.pop() {
                Some(buffer) if buffer.capacity() >= size => Some(buffer),
                _ => {
                    // Another variable's: of no use any more.
                    kept.buffers.clear();
                    None
                }
            }
        };
        let mut buffer = kept.unwrap_or_default();
        resize(&mut buffer, size)?;
        Ok(buffer)
    }

    /// Keeps a buffer for the next block.
    pub fn give(&self, buffer: Vec<u8>) {
        if buffer.capacity() > 0 {
            self.lock().buffers.push(buffer);
        }
    }

    /// A block that was charged `memory` is done: of that, says how much it gave to the pool and leaves charged.
    pub fn settle(&self, memory: u64) -> u64 {
        let mut kept = self.lock();
        let held = kept.buffers.iter().map(|b| b.capacity() as u64).sum::<u64>();
        let charge = held.saturating_sub(kept.charged).min(memory);
        kept.charged += charge;
        charge
    }

    /// Hands what is kept, up to `most` bytes, to a new block that will be charged for it; frees the rest. Says how much was
    /// charged.
    pub fn claim(&self, most: u64) -> u64 {
        let mut kept = self.lock();
        let mut held = 0;
        kept.buffers.retain(|b| {
            held += b.capacity() as u64;
            held <= most
        });
        std::mem::take(&mut kept.charged)
    }

    /// Frees what is kept, and says how much was charged for it.
    pub fn clear(&self) -> u64 {
        let freed = std::mem::take(&mut *self.lock());
        freed.charged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(start: &[u64], count: &[u64]) -> Region {
        Region {
            start: start.to_vec(),
            count: count.to_vec(),
        }
    }

    #[test]
    fn stripes_cover_a_block_in_order() {
        let block = Block {
            span: region(&[5, 2, 0], &[2, 3, 4]),
            first: 100,
            end: 124,
        };
        let shared = SharedBlock::new(block, STRIPE / 5, 0).unwrap();
        assert_eq!(shared.stripe_count(), 6, "a row of four chunks each");
        let mut next = 100;
        for n in 0..shared.stripe_count() {
            let stripe = shared.stripe(n);
            assert_eq!(stripe.first, next);
            next = stripe.end;
        }
        assert_eq!(next, 124);
        assert_eq!(shared.stripe(4).span, region(&[6, 3, 0], &[1, 1, 4]));
        let inner = region(&[5, 3, 1], &[2, 2, 1]);
        for expected in [[1, 2, 4, 5], [4, 5, 1, 2], [1, 2, 4, 5]] {
            assert_eq!(shared.stripes_in(&inner, 2), expected);
        }
        assert_eq!(shared.stripes_in(&region(&[5, 2, 0], &[1, 1, 4]), 9), [0]);
    }

    #[test]
    fn emptying_waits_for_filling() {
        let block = Block {
            span: region(&[0], &[1]),
            first: 0,
            end: 1,
        };
        let shared = SharedBlock::new(block, 1, 0).unwrap();
        shared.expect(2);
        std::thread::scope(|s| {
            let waiting = s.spawn(|| shared.wait_filled());
            shared.job_done(true);
            shared.job_done(false);
            assert!(!waiting.join().unwrap());
        });
    }

    #[test]
    fn a_pool_gives_back_what_fits() {
        let pool = Pool::default();
        pool.give(Vec::with_capacity(100));
        assert_eq!(pool.take(90).unwrap().capacity(), 100);
        pool.give(Vec::with_capacity(100));
        assert_eq!(pool.settle(150), 100);
        assert_eq!(pool.claim(100), 100);
        assert_eq!(pool.clear(), 0, "the claimant is charged now");
        assert!(pool.lock().buffers.is_empty());
    }
}
