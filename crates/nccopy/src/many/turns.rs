//! Whose turn it is: small inputs run beside each other, a large one alone.
//!
//! ```text
//! inputs, in order ─► small: one thread each, as many at once as there are threads
//!                 └─► large: waits until the others are done, then takes all threads
//! ```

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use ncutils_core::threads;

/// Inputs up to this size, in bytes, are copied by one thread each. Starting threads for one costs more than it saves.
pub const SMALL: u64 = 16 << 20;

/// Does jobs on `threads` threads, in the order of `next`. `is_large` tells which jobs take all threads. `work` also gets
/// whether its job has all threads. In the others, [`threads::count`] is 1.
pub fn in_turns<J>(
    threads: usize,
    next: impl FnMut() -> Option<J> + Send,
    is_large: impl Fn(&J) -> bool + Sync,
    work: impl Fn(J, bool) + Sync,
) {
    let turns = Turns {
        state: Mutex::new(State {
            next,
            running: 0,
            large: false,
        }),
        changed: Condvar::new(),
    };
    threads::on_all(threads, |_, _| {
        while let Some((job, has_all_threads)) = turns.take(&is_large) {
            let _done = Done {
                turns: &turns,
                large: has_all_threads,
            };
            match has_all_threads {
                true => work(job, true),
                false => threads::single_threaded(|| work(job, false)),
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

    /// The next job, and whether it is a large one.
    fn take<J>(&self, is_large: impl Fn(&J) -> bool) -> Option<(J, bool)>
    where
        N: FnMut() -> Option<J>,
    {
        let mut state = self.wait(self.lock(), |state| !state.large);
        let job = (state.next)()?;
        let large = is_large(&job);
        if large {
            state.large = true;
            state = self.wait(state, |state| state.running == 0);
        }
        state.running += 1;
        Some((job, large))
    }
}

/// Ends a job, also one that panics.
struct Done<'a, N> {
    turns: &'a Turns<N>,
    large: bool,
}

impl<N> Drop for Done<'_, N> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        state.running -= 1;
        // While small jobs run, the mark is that of a large one that waits for them.
        state.large &= !self.large;
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
                |n| n % 7 == 0,
                |n, has_all| {
                    assert_eq!(has_all, n % 7 == 0);
                    assert!(has_all || threads::count() == 1);
                    let beside = running.fetch_add(1, Ordering::SeqCst);
                    assert!(!has_all || beside == 0);
                    std::thread::yield_now();
                    assert!(!has_all || running.load(Ordering::SeqCst) == 1);
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
