//! How packing, restoring and checking share out their memory.

use super::index::entry_store;

/// Most bytes of the open blocks of interleaved variables, and of windows of records.
const OPEN_BYTES: u64 = 32 << 20;

/// Bytes of an original that is put together only to be checked.
const PASSING: u64 = 64 << 20;

/// Blocks that threads may run ahead of the next one to write.
const AHEAD: u64 = 64;

/// Buffers of one block that a thread works with: the block, its encoded bytes, and two for filters.
const BUFFERS: u64 = 4;

/// The parts of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    /// Threads that have room for their blocks.
    pub threads: usize,
    /// Bytes of blocks or windows that are not complete yet.
    pub open: u64,
    /// Blocks that may wait for their turn to be written.
    pub ahead: u64,
    /// Bytes of the indexes of blocks. What does not fit goes to a temporary file.
    pub index: u64,
}

impl Shares {
    /// Bytes of `memory` for the indexes of blocks.
    pub fn index(memory: Option<u64>) -> u64 {
        memory.map_or(entry_store::MEMORY, |memory| {
            (memory / 8).min(entry_store::MEMORY)
        })
    }

    /// Bytes of `memory` for an original that is put together in passing.
    pub fn passing(memory: Option<u64>) -> u64 {
        memory.map_or(PASSING, |memory| (memory / 4).min(PASSING))
    }

    /// Shares out `memory` bytes; `None` for as much as is useful. `block` is the length of the largest block in bytes. At least
    /// one thread works, and at least one block is open, however little memory there is.
    pub fn of(memory: Option<u64>, threads: usize, block: u64) -> Self {
        let (threads, block) = (threads.max(1), block.max(1));
        let Some(memory) = memory else {
            return Self {
                threads,
                open: OPEN_BYTES,
                ahead: AHEAD,
                index: Self::index(memory),
            };
        };
        let fit = memory / 2 / block.saturating_mul(BUFFERS);
        Self {
            threads: usize::try_from(fit).unwrap_or(usize::MAX).clamp(1, threads),
            // What is complete waits to be encoded, while the next blocks are open.
            open: (memory / 8).min(OPEN_BYTES),
            ahead: (memory / 8 / block).clamp(1, AHEAD),
            index: Self::index(Some(memory)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_memory_means_fewer_threads_and_passes_of_less() {
        let much = Shares::of(Some(1 << 30), 8, 256 << 10);
        assert_eq!(much, Shares::of(None, 8, 256 << 10));
        let little = Shares::of(Some(16 << 20), 8, 256 << 10);
        assert_eq!((little.threads, little.open, little.ahead), (8, 2 << 20, 8));
        let least = Shares::of(Some(1), 8, 256 << 20);
        assert_eq!((least.threads, least.ahead), (1, 1));
    }
}
