//! Whose turn it is: small inputs run beside each other, a large one alone.
//!
//! ```text
//! inputs, in order ─┬─► small: one thread each, beside each other
//!                   ├─► slow: all threads, beside others, as they wait for a store most of the time
//!                   └─► large: waits until the others are done, then takes all threads
//! ```

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use ncutils_core::threads;

/// Inputs up to this size, in bytes, are copied by one thread each. Starting threads for one costs more than it saves.
pub const SMALL: u64 = 16 << 20;

/// Most slow jobs at once, if there are fewer threads.
pub const MOST_SLOW: usize = 8;

/// What a job takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// One thread. [`threads::count`] is 1.
    Small,
    /// All threads, while others have them too.
    Slow,
    /// All threads, alone.
    Large,
}

/// Does jobs, at most `at_once` of them beside each other, in the order of `next`. `turn` tells what a job takes.
pub fn in_turns<J>(
    at_once: usize,
    next: impl FnMut() -> Option<J> + Send,
    turn: impl Fn(&J) -> Turn + Sync,
    work: impl Fn(J, Turn) + Sync,
) {
    let turns = Turns {
        state: Mutex::new(State {
            next,
            running: 0,
            large: false,
        }),
        changed: Condvar::new(),
    };
    threads::on_all(at_once, |_, _| {
        while let Some((job, taken)) = turns.take(&turn) {
            let _done = Done { turns: &turns, taken };
            match taken {
                Turn::Small => threads::single_threaded(|| work(job, taken)),
                Turn::Slow | Turn::Large => work(job, taken),
            }
        }
    });
}

struct Turns<N> {
    state: Mutex<State<N>>,
    /// Told when a job is done.
    changed: Condvar,
}

struct State<N> {
    next: N,
    /// Jobs that run.
    running: usize,
    /// True while a large job waits for all threads or has them.
    large: bool,
}

impl<N> Turns<N> {
    fn lock(&self) -> MutexGuard<'_, State<N>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &'a self,
        state: MutexGuard<'a, State<N>>,
        until: fn(&State<N>) -> bool,
    ) -> MutexGuard<'a, State<N>> {
        let waits = |state: &mut State<N>| !until(state);
        let done = self.changed.wait_while(state, waits);
        done.unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job, and what it takes.
    fn take<J>(&self, turn: impl Fn(&J) -> Turn) -> Option<(J, Turn)>
    where
        N: FnMut() -> Option<J>,
    {
        let job = (self.wait(self.lock(), |state| !state.large).next)()?;
        // To look at a file may take long.
        let turn = turn(&job);
        let mut state = self.wait(self.lock(), |state| !state.large);
        if turn == Turn::Large {
            state.large = true;
            state = self.wait(state, |state| state.running == 0);
        }
        state.running += 1;
        Some((job, turn))
    }
}

/// Ends a job, also one that panics.
struct Done<'a, N> {
    turns: &'a Turns<N>,
    taken: Turn,
}

impl<N> Drop for Done<'_, N> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        state.running -= 1;
        // While other jobs run, the mark is that of a large one that waits for them.
        state.large &= self.taken != Turn::Large;
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn large_jobs_run_alone_and_all_jobs_run_once() {
        for count in [1, 4] {
            let (mut at, running) = (0..200u32, AtomicUsize::new(0));
            let seen = Mutex::new(Vec::new());
            in_turns(
                count,
                || at.next(),
                |n| match n % 7 {
                    0 => Turn::Large,
                    1 => Turn::Slow,
                    _ => Turn::Small,
                },
                |n, turn| {
                    let alone = turn == Turn::Large;
                    assert_eq!(alone, n % 7 == 0);
                    assert!(turn != Turn::Small || threads::count() == 1);
                    let beside = running.fetch_add(1, Ordering::SeqCst);
                    assert!(!alone || beside == 0);
                    std::thread::yield_now();
                    assert!(!alone || running.load(Ordering::SeqCst) == 1);
                    running.fetch_sub(1, Ordering::SeqCst);
                    seen.lock().unwrap().push(n);
                },
            );
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            assert_eq!(seen, (0..200).collect::<Vec<_>>());
        }
    }
}
