//! [`Misses`]: blocks that reads did not find in the cache, collected to be fetched together.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Blocks noted since the last [`take`](Self::take).
#[derive(Debug)]
pub(crate) struct Misses {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of blocks that may still be noted.
    room: u64,
    numbers: BTreeSet<u64>,
    missed: bool,
}

impl Misses {
    /// No blocks noted, with room for `room`.
    pub(crate) fn new(room: u64) -> Self {
        Self {
            state: Mutex::new(State {
                room,
                ..State::default()
            }),
        }
    }

    /// Notes blocks that a read failed for.
    pub(crate) fn missed(&self, numbers: &[u64]) {
        self.wanted(numbers);
        self.state().missed = true;
    }

    /// Notes blocks that will be read, but that no read has failed for. Blocks beyond the room are not noted.
    pub(crate) fn wanted(&self, numbers: &[u64]) {
        let mut state = self.state();
        for number in numbers {
            if state.is_full() {
                break;
            }
            state.numbers.insert(*number);
        }
    }

    /// True if a read has failed since the last call.
    pub(crate) fn has_missed(&self) -> bool {
        std::mem::take(&mut self.state().missed)
    }

    /// True if no more blocks can be noted.
    pub(crate) fn is_full(&self) -> bool {
        self.state().is_full()
    }

    /// Number of blocks that may still be noted.
    pub(crate) fn room(&self) -> u64 {
        self.state().room
    }

    /// Reduces the room by `blocks`.
    pub(crate) fn spend(&self, blocks: u64) {
        let mut state = self.state();
        state.room = state.room.saturating_sub(blocks);
    }

    /// Removes and returns the noted blocks, in ascending order.
    pub(crate) fn take(&self) -> Vec<u64> {
        std::mem::take(&mut self.state().numbers).into_iter().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code under the lock can panic, so the state behind a poisoned lock is consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.numbers.len() as u64 >= self.room
    }
}
