//! Buffers that one block leaves for the next.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::chunk::resize;
use crate::error::Result;

/// Stripe buffers that one block leaves for the next. Their bytes stay charged to the memory budget until the next
/// block claims them or a job needs the memory.
#[derive(Default)]
pub struct BufferPool {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    buffers: Vec<Vec<u8>>,
    /// Bytes charged to the memory budget for `buffers`.
    charged: u64,
}

impl BufferPool {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a buffer of `size` bytes with arbitrary content.
    pub fn take(&self, size: usize) -> Result<Vec<u8>> {
        let kept = {
            let mut kept = self.lock();
            match kept.buffers.pop() {
                Some(buffer) if buffer.capacity() >= size => Some(buffer),
                _ => {
                    // A buffer that is too small belonged to another variable: none of the kept ones is
                    // useful now.
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

    /// Called when a block that was charged `memory` bytes is done. Returns how many of these bytes stay
    /// charged, for the buffers that it left in the pool.
    pub fn settle(&self, memory: u64) -> u64 {
        let mut kept = self.lock();
        let held = kept.buffers.iter().map(|b| b.capacity() as u64).sum::<u64>();
        let charge = held.saturating_sub(kept.charged).min(memory);
        kept.charged += charge;
        charge
    }

    /// Leaves at most `most` bytes of buffers to a new block, which is charged for them itself, and frees the
    /// rest. Returns how many bytes were charged for all of them.
    pub fn claim(&self, most: u64) -> u64 {
        let mut kept = self.lock();
        let mut held = 0;
        kept.buffers.retain(|b| {
            held += b.capacity() as u64;
            held <= most
        });
        std::mem::take(&mut kept.charged)
    }

    /// Frees all buffers. Returns how many bytes were charged for them.
    pub fn clear(&self) -> u64 {
        let freed = std::mem::take(&mut *self.lock());
        freed.charged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_gives_back_what_fits() {
        let pool = BufferPool::default();
        pool.give(Vec::with_capacity(100));
        assert_eq!(pool.take(90).unwrap().capacity(), 100);
        pool.give(Vec::with_capacity(100));
        assert_eq!(pool.settle(150), 100);
        assert_eq!(pool.claim(100), 100);
        assert_eq!(pool.clear(), 0, "the claimant is charged now");
        assert!(pool.lock().buffers.is_empty());
    }
}
