//! A gate that requests of a test pass, in place of a `sleep` that makes them slow.
//!
//! A test that wants many requests under way at once holds the gate until that many wait there. Where the requests come one
//! after another, they wait for [`PATIENCE`], and the test finds that too few were under way.
//!
//! ```
//! use ncutils_gate::Gate;
//!
//! let gate = Gate::default();
//! gate.hold_until(3);
//! std::thread::scope(|scope| {
//!     for _ in 0..5 {
//!         scope.spawn(|| gate.pass(|| "read something"));
//!     }
//! });
//! assert!(gate.most() >= 3);
//! ```

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long requests wait at a gate that is held until the gate opens all the same.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Counts the requests that are under way. It is open, unless it is held until a number of them wait.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Requests under way.
    now: usize,
    /// Largest value of `now` since it was asked for.
    most: usize,
    /// The gate is held until so many are under way; 0 if it is open.
    wanted: usize,
}

impl Gate {
    /// Holds requests from now on, until `wanted` of them are under way. Then the gate opens, and stays open.
    pub fn hold_until(&self, wanted: usize) {
        self.state().wanted = wanted;
    }

    /// Runs a request, after a wait if the gate is held.
    pub fn pass<T>(&self, request: impl FnOnce() -> T) -> T {
        let mut state = self.state();
        state.now += 1;
        state.most = state.most.max(state.now);
        if state.now >= state.wanted {
            self.open(&mut state);
        }
        let until = Instant::now() + PATIENCE;
        while state.wanted > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.open(&mut state);
            }
            let waited = self.opened.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        let _under_way = UnderWay(self);
        request()
    }

    /// The number of requests that are under way.
    pub fn now(&self) -> usize {
        self.state().now
    }

    /// The most requests that were under way at once since this was called last.
    pub fn most(&self) -> usize {
        std::mem::take(&mut self.state().most)
    }

    fn open(&self, state: &mut State) {
        state.wanted = 0;
        self.opened.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that has passed the gate, until it ends or panics.
struct UnderWay<'g>(&'g Gate);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.state().now -= 1;
    }
}
