//! A block of output chunks that one or more threads fill from input pieces.
//!
//! ```text
//! piece ─► scatter ─► stripe 0 │ stripe 1 │ …      filling: one lock a stripe
//!                        └─► encode ─► Writer       emptying, once every piece is in
//! ```
//!
//! A stripe is a run of chunks in one buffer of its own, so two threads never need the same bytes of it. A
//! thread that fills holds the stripe's lock for one copy. Each walk over the stripes starts at another one,
//! because threads that start at the same stripe would wait for each other at every lock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::chunk::{ChunkGrid, Region};
use crate::copy::geometry::Block;
use crate::error::Result;

/// Size of a stripe, in bytes. Less would not be worth a lock and a job, unless memory is scarce.
const STRIPE: u64 = 256 << 10;

/// A block whose pieces are scattered by several jobs.
pub struct SharedBlock {
    pub block: Block,
    /// Division of the block's box of chunks into stripes. Its elements are chunks.
    stripes: ChunkGrid,
    buffers: Vec<Mutex<Vec<u8>>>,
    filling: Mutex<Filling>,
    filled: Condvar,
    /// Number of walks over the stripes so far.
    walks: AtomicUsize,
    emptying: Mutex<u64>,
    /// Bytes of memory that the block was admitted with.
    pub memory: u64,
}

#[derive(Default)]
struct Filling {
    jobs: u64,
    failed: bool,
}

impl SharedBlock {
    /// Makes a block in stripes of at most `stripe_chunks` chunks, admitted with `memory` bytes.
    pub fn new(block: Block, stripe_chunks: u64, memory: u64) -> Result<Self> {
        let shape = stripe_shape(&block.span.count, stripe_chunks);
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

    /// Sets the number of jobs that will fill the block. To be called before any of them starts.
    pub fn expect(&self, jobs: u64) {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner).jobs = jobs;
    }

    /// Number of stripes.
    pub fn stripe_count(&self) -> usize {
        self.buffers.len()
    }

    /// The chunks of stripe `n`: their box in the variable's grid, and their positions in the order of writing.
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

    /// The stripes that hold chunks of `span`, a box of the variable's grid. Each call rotates the list, so
    /// that `threads` calls in a row start as far apart as they can.
    pub fn stripes_in(&self, span: &Region, threads: usize) -> Vec<usize> {
        let chunks = self.stripes.chunks_in(&span.relative_to(&self.block.span.start));
        let mut stripes: Vec<usize> = chunks.map(|n| n as usize).collect();
        let turn = self.walks.fetch_add(1, Ordering::Relaxed) % threads.max(1);
        let first = turn * (stripes.len() / threads.max(1));
        stripes.rotate_left(first);
        stripes
    }

    /// Locks the buffer of stripe `n`.
    pub fn buffer(&self, n: usize) -> MutexGuard<'_, Vec<u8>> {
        self.buffers[n].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one filling job as over. `ok` is false if it failed.
    pub fn job_done(&self, ok: bool) {
        let mut filling = self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        filling.jobs = filling.jobs.saturating_sub(1);
        filling.failed |= !ok;
        if filling.jobs == 0 {
            self.filled.notify_all();
        }
    }

    /// Waits until all filling jobs are over. Returns false if one failed.
    pub fn wait_filled(&self) -> bool {
        let mut filling = self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        while filling.jobs > 0 {
            filling = self.filled.wait(filling).unwrap_or_else(PoisonError::into_inner);
        }
        !filling.failed
    }

    /// True if all filling jobs are over.
    pub fn is_filled(&self) -> bool {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner).jobs == 0
    }

    /// Counts one stripe as emptied. Returns true for the last one.
    pub fn stripe_done(&self) -> bool {
        let mut left = self.emptying.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(1);
        *left == 0
    }
}

/// Most chunks of `chunk_bytes` bytes each in a stripe, where one job moves `batch` bytes.
pub fn stripe_chunks(chunk_bytes: u64, batch: u64) -> u64 {
    (STRIPE.min(batch) / chunk_bytes.max(1)).max(1)
}

/// The largest box of at most `most` chunks (at least one) whose chunks follow each other in C order.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Region;

    #[test]
    fn stripes_cover_a_block_in_order() {
        let block = Block {
            span: Region::new(&[5, 2, 0], &[2, 3, 4]),
            first: 100,
            end: 124,
        };
        let shared = SharedBlock::new(block, 5, 0).unwrap();
        assert_eq!(shared.stripe_count(), 6, "a row of four chunks each");
        let mut next = 100;
        for n in 0..shared.stripe_count() {
            let stripe = shared.stripe(n);
            assert_eq!(stripe.first, next);
            next = stripe.end;
        }
        assert_eq!(next, 124);
        assert_eq!(shared.stripe(4).span, Region::new(&[6, 3, 0], &[1, 1, 4]));
        let inner = Region::new(&[5, 3, 1], &[2, 2, 1]);
        for expected in [[1, 2, 4, 5], [4, 5, 1, 2], [1, 2, 4, 5]] {
            assert_eq!(shared.stripes_in(&inner, 2), expected);
        }
        assert_eq!(shared.stripes_in(&Region::new(&[5, 2, 0], &[1, 1, 4]), 9), [0]);
    }

    #[test]
    fn emptying_waits_for_filling() {
        let block = Block {
            span: Region::new(&[0], &[1]),
            first: 0,
            end: 1,
        };
        let shared = SharedBlock::new(block, STRIPE, 0).unwrap();
        shared.expect(2);
        std::thread::scope(|s| {
            let waiting = s.spawn(|| shared.wait_filled());
            shared.job_done(true);
            shared.job_done(false);
            assert!(!waiting.join().unwrap());
        });
    }
}
