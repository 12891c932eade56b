//! What reads of a file find missing in its block cache, so that it can be fetched together.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Blocks that were missed since the last [`take`](Self::take).
#[derive(Debug)]
pub(crate) struct Misses {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many blocks may still be noted.
    room: u64,
    numbers: BTreeSet<u64>,
    missed: bool,
}

impl Misses {
    /// With room for so many blocks.
    pub(crate) fn new(room: u64) -> Self {
        Self {
            state: Mutex::new(State {
                room,
                ..State::default()
            }),
        }
    }

    /// Notes that a read failed because of these blocks.
    pub(crate) fn missed(&self, numbers: &[u64]) {
        self.wanted(numbers);
        self.state().missed = true;
    }

    /// Notes blocks that will be read, but that no read has failed for. Those past the room are not noted.
    pub(crate) fn wanted(&self, numbers: &[u64]) {
        let mut state = self.state();
        for number in numbers {
            if state.is_full() {
                break;
            }
            state.numbers.insert(*number);
        }
    }

    /// Whether a read has failed since this was asked last.
    pub(crate) fn has_missed(&self) -> bool {
        std::mem::take(&mut self.state().missed)
    }

    /// Whether there is no room for another block.
    pub(crate) fn is_full(&self) -> bool {
        self.state().is_full()
    }

    /// How many blocks there is room for.
    pub(crate) fn room(&self) -> u64 {
        self.state().room
    }

    /// Notes that there is room for so many blocks less.
    pub(crate) fn spend(&self, blocks: u64) {
        let mut state = self.state();
        state.room = state.room.saturating_sub(blocks);
    }

    /// The blocks noted so far, in ascending order. They are forgotten.
    pub(crate) fn take(&self) -> Vec<u64> {
        std::mem::take(&mut self.state().numbers).into_iter().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock, so a poisoned one is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.numbers.len() as u64 >= self.room
    }
}
