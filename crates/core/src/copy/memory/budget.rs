//! The account of memory: it keeps what all jobs hold together within the budget.
//!
//! Jobs are admitted in order. A job holds its working memory until it completes. The bytes it handed to the
//! writer count until all earlier jobs have completed too, because until then the writer may hold them back.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tracing::{Level, debug, enabled};

/// The memory that a job needs, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobMemory {
    /// Held while the job runs.
    pub working: u64,
    /// Held for a block that outlives the job, until [`MemoryBudget::release`].
    pub block: u64,
}

/// The account of one run.
#[derive(Debug)]
pub struct MemoryBudget {
    budget: u64,
    window: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    peak: u64,
    running: usize,
    /// Jobs that completed out of order: job number → bytes that the writer may still hold for it.
    waiting: BTreeMap<u64, u64>,
    kept: u64,
    /// Number of the first job that has not completed.
    low: u64,
    stopped: bool,
}

impl MemoryBudget {
    /// An account over `budget` bytes. No new job is admitted while the writer holds back more than `window`
    /// bytes.
    pub fn new(budget: u64, window: u64) -> Self {
        Self {
            budget,
            window,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for a job, then admits it. A job is always admitted if no other runs.
    /// Returns false if the run was stopped. `shed` is called before waiting: it frees memory and returns how
    /// many bytes to take off the account.
    pub fn admit(&self, cost: JobMemory, shed: impl Fn() -> u64) -> bool {
        let need = cost.working.saturating_add(cost.block);
        let mut state = self.lock();
        let mut waiting: Option<Instant> = None;
        loop {
            if state.stopped {
                return false;
            }
            let mut room = state.used.saturating_add(need) <= self.budget && state.kept <= self.window;
            if !room {
                state.used = state.used.saturating_sub(shed());
                room = state.used.saturating_add(need) <= self.budget && state.kept <= self.window;
            }
            if room || state.running == 0 {
                state.used += need;
                state.peak = state.peak.max(state.used);
                state.running += 1;
                if let Some(begun) = waiting {
                    debug!(time = ?begun.elapsed(), need, used = state.used, "waited for memory");
                }
                return true;
            }
            if waiting.is_none() && enabled!(Level::DEBUG) {
                waiting = Some(Instant::now());
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Marks job `number` as complete. It was admitted with `working` bytes and handed `kept` bytes to the
    /// writer.
    pub fn complete(&self, number: u64, working: u64, kept: u64) {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.running -= 1;
        state.used = state.used.saturating_sub(working) + kept;
        state.kept += kept;
        state.waiting.insert(number, kept);
        while let Some(entry) = state.waiting.first_entry() {
            if *entry.key() != state.low {
                break;
            }
            let kept = entry.remove();
            state.used = state.used.saturating_sub(kept);
            state.kept = state.kept.saturating_sub(kept);
            state.low += 1;
        }
        state.peak = state.peak.max(state.used);
        drop(guard);
        self.changed.notify_all();
    }

    /// Takes `bytes` of a block off the account.
    pub fn release(&self, bytes: u64) {
        let mut state = self.lock();
        state.used = state.used.saturating_sub(bytes);
        drop(state);
        self.changed.notify_all();
    }

    /// Stops the run: no job is admitted any more.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    /// True after [`MemoryBudget::stop`].
    pub fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// The most bytes that were ever on the account.
    pub fn peak(&self) -> u64 {
        self.lock().peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(working: u64) -> JobMemory {
        JobMemory { working, block: 0 }
    }

    #[test]
    fn a_job_alone_is_admitted_whatever_it_needs() {
        let budget = MemoryBudget::new(10, 10);
        assert!(budget.admit(cost(100), || 0));
        budget.complete(0, 100, 0);
        assert!(budget.admit(cost(5), || 0));
        assert_eq!(budget.peak(), 100);
    }

    #[test]
    fn what_came_early_counts_until_its_turn() {
        let budget = MemoryBudget::new(10, 100);
        assert!(budget.admit(cost(3), || 0));
        assert!(budget.admit(cost(3), || 0));
        budget.complete(1, 3, 2);
        assert_eq!(budget.lock().used, 5);
        budget.complete(0, 3, 2);
        assert_eq!(budget.lock().used, 0);
    }

    #[test]
    fn the_peak_counts_what_the_writer_holds_back() {
        let budget = MemoryBudget::new(10, 100);
        assert!(budget.admit(cost(3), || 0));
        assert!(budget.admit(cost(3), || 0));
        budget.complete(1, 3, 9);
        assert_eq!(budget.peak(), 12);
    }

    #[test]
    fn a_job_waits_for_room() {
        let budget = MemoryBudget::new(10, 100);
        assert!(budget.admit(cost(8), || 0));
        std::thread::scope(|s| {
            let (tell, told) = std::sync::mpsc::channel();
            // Asked with the budget locked, before the job waits.
            let asked_for_room = move || {
                tell.send(()).unwrap();
                0
            };
            let second = s.spawn(|| budget.admit(cost(8), asked_for_room));
            told.recv().unwrap();
            assert_eq!(budget.lock().running, 1);
            budget.complete(0, 8, 0);
            assert!(second.join().unwrap());
        });
        assert_eq!(budget.peak(), 8);
    }

    #[test]
    fn room_is_made_before_waiting() {
        let budget = MemoryBudget::new(10, 100);
        let block = JobMemory { working: 0, block: 8 };
        assert!(budget.admit(block, || 0));
        assert!(budget.admit(cost(8), || 8));
        assert_eq!(budget.peak(), 8);
    }

    #[test]
    fn stopping_wakes_who_waits() {
        let budget = MemoryBudget::new(10, 100);
        assert!(budget.admit(cost(8), || 0));
        std::thread::scope(|s| {
            let second = s.spawn(|| budget.admit(cost(8), || 0));
            budget.stop();
            assert!(!second.join().unwrap());
        });
    }
}
