//! [`Limiter`]: how many requests to a store are under way at once.
//!
//! A server that is asked too much says so (429, 503). The limit is then halved, and grows again by one each time as many
//! requests as the limit have succeeded.

use parking_lot::Mutex;
use tokio::sync::Notify;
use tracing::debug;

/// A limit that requests wait for.
pub(crate) struct Limiter {
    most: usize,
    state: Mutex<State>,
    /// Told when there may be room for one more request.
    room: Notify,
}

struct State {
    /// The limit at present.
    allowed: usize,
    /// Requests that have begun, and not ended.
    under_way: usize,
    /// Requests that succeeded since the limit last changed.
    succeeded: usize,
    /// Counts halvings. Requests that began before a halving cause no other one.
    halvings: u64,
}

/// The right to have one request under way.
pub(crate) struct Turn<'a> {
    limiter: &'a Limiter,
    halvings: u64,
}

impl Limiter {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            most,
            state: Mutex::new(State {
                allowed: most,
                under_way: 0,
                succeeded: 0,
                halvings: 0,
            }),
            room: Notify::new(),
        }
    }

    /// The most requests under way, while the server takes so many.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Waits until a request may begin.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        loop {
            if let Some(turn) = self.begun() {
                return turn;
            }
            self.room.notified().await;
        }
    }

    /// Begins a request, if there is room for it.
    fn begun(&self) -> Option<Turn<'_>> {
        let mut state = self.state.lock();
        if state.under_way >= state.allowed {
            return None;
        }
        state.under_way += 1;
        // Two ends may have been told as one.
        if state.under_way < state.allowed {
            self.room.notify_one();
        }
        let halvings = state.halvings;
        Some(Turn {
            limiter: self,
            halvings,
        })
    }
}

impl Turn<'_> {
    /// Ends the turn of a request that succeeded.
    pub(crate) fn succeeded(self) {
        let mut state = self.limiter.state.lock();
        state.succeeded += 1;
        if state.succeeded >= state.allowed && state.allowed < self.limiter.most {
            state.succeeded = 0;
            state.allowed += 1;
        }
    }

    /// Ends the turn of a request that the server refused as one too many.
    pub(crate) fn was_too_much(self) {
        let mut state = self.limiter.state.lock();
        if state.halvings == self.halvings {
            state.halvings += 1;
            state.succeeded = 0;
            state.allowed -= state.allowed / 2;
            debug!(allowed = state.allowed, "the server is asked less");
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.limiter.state.lock().under_way -= 1;
        self.limiter.room.notify_one();
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
            assert_eq!(limiter.state.lock().allowed, 4);
            limiter.turn().await.was_too_much();
            limiter.turn().await.was_too_much();
            limiter.turn().await.was_too_much();
            assert_eq!(limiter.state.lock().allowed, 1);
            // 1 + 2 + 3 successes.
            for _ in 0..6 {
                limiter.turn().await.succeeded();
            }
            assert_eq!(limiter.state.lock().allowed, 4);
            for _ in 0..100 {
                limiter.turn().await.succeeded();
            }
            assert_eq!(limiter.state.lock().allowed, 8);
        });
    }
}
