//! [`Limiter`]: how many requests to a store are under way at once.
//!
//! A server that is asked too much says so (429, 503). The limit is then halved, and grows again by one each time as many
//! requests as the limit have succeeded.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::debug;

/// A limit that requests wait for.
pub(crate) struct Limiter {
    permits: Arc<Semaphore>,
    most: usize,
    state: Mutex<State>,
}

struct State {
    /// The limit at present.
    allowed: usize,
    /// Permits to take away when requests end.
    owed: usize,
    /// Requests that succeeded since the limit last changed.
    succeeded: usize,
    /// Counts halvings. Requests that began before a halving cause no other one.
    halvings: u64,
}

/// The right to have one request under way.
pub(crate) struct Turn<'a> {
    limiter: &'a Limiter,
    permit: Option<OwnedSemaphorePermit>,
    halvings: u64,
}

impl Limiter {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            permits: Arc::new(Semaphore::new(most)),
            most,
            state: Mutex::new(State {
                allowed: most,
                owed: 0,
                succeeded: 0,
                halvings: 0,
            }),
        }
    }

    /// Waits until a request may begin.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        // The semaphore is never closed, so there is always a permit.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        let halvings = self.state.lock().halvings;
        Turn {
            limiter: self,
            permit,
            halvings,
        }
    }
}

impl Turn<'_> {
    /// Ends the turn of a request that succeeded.
    pub(crate) fn succeeded(self) {
        let mut state = self.limiter.state.lock();
        if state.allowed == self.limiter.most {
            return;
        }
        state.succeeded += 1;
        if state.succeeded >= state.allowed {
            state.succeeded = 0;
            state.allowed += 1;
            match state.owed.checked_sub(1) {
                Some(owed) => state.owed = owed,
                None => self.limiter.permits.add_permits(1),
            }
        }
    }

    /// Ends the turn of a request that the server refused as one too many.
    pub(crate) fn was_too_much(self) {
        let mut state = self.limiter.state.lock();
        if state.halvings != self.halvings {
            return;
        }
        let less = state.allowed / 2;
        state.halvings += 1;
        state.succeeded = 0;
        state.allowed -= less;
        state.owed += less - self.limiter.permits.forget_permits(less);
        debug!(allowed = state.allowed, "the server is asked less");
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.limiter.state.lock();
        if state.owed > 0
            && let Some(permit) = self.permit.take()
        {
            state.owed -= 1;
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::runtime;

    #[test]
    fn the_limit_is_halved_once_for_requests_under_way_and_grows_again() {
        runtime().unwrap().block_on(async {
            let limiter = Limiter::new(8);
            let mut turns = Vec::new();
            for _ in 0..8 {
                turns.push(limiter.turn().await);
            }
            for turn in turns {
                turn.was_too_much();
            }
            assert_eq!(limiter.permits.available_permits(), 4);
            limiter.turn().await.was_too_much();
            limiter.turn().await.was_too_much();
            limiter.turn().await.was_too_much();
            assert_eq!(limiter.permits.available_permits(), 1);
            // 1 + 2 + 3 successes.
            for _ in 0..6 {
                limiter.turn().await.succeeded();
            }
            assert_eq!(limiter.permits.available_permits(), 4);
            for _ in 0..100 {
                limiter.turn().await.succeeded();
            }
            assert_eq!(limiter.permits.available_permits(), 8);
        });
    }
}
