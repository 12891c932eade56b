//! [`Gathered`]: the results of several requests, which are passed on together.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::requests::requests::Done;

/// Collects results that arrive one by one. If a request ends without a result because its thread panicked,
/// all fail once the last request has ended.
pub struct Gathered<T: Default + Send + 'static> {
    state: Mutex<Option<Waiting<T>>>,
}

struct Waiting<T> {
    found: Vec<T>,
    left: usize,
    done: Done<io::Result<Vec<T>>>,
}

impl<T: Default + Send + 'static> Drop for Gathered<T> {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = state.take() {
            (waiting.done)(Err(io::Error::other(
                "a request to the store ended without an answer",
            )));
        }
    }
}

impl<T: Default + Send + 'static> Gathered<T> {
    /// Waits for `requests` arrivals with `results` results in total. If `requests` is 0, calls `done` at
    /// once.
    pub fn new(results: usize, requests: usize, done: Done<io::Result<Vec<T>>>) -> Option<Arc<Self>> {
        let found = std::iter::repeat_with(T::default).take(results).collect();
        if requests == 0 {
            done(Ok(found));
            return None;
        }
        let waiting = Waiting {
            found,
            left: requests,
            done,
        };
        Some(Arc::new(Self {
            state: Mutex::new(Some(waiting)),
        }))
    }

    /// Adds the results of one request, each with its position. The last one, and the first that fails, calls `done`.
    pub fn arrive(&self, results: io::Result<Vec<(usize, T)>>) {
        if let Some(done) = self.add(results) {
            done();
        }
    }

    /// Like [`arrive`](Self::arrive), but returns the call of `done`, for a thread that may block.
    pub fn add(&self, results: io::Result<Vec<(usize, T)>>) -> Option<Box<dyn FnOnce() + Send>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(waiting) = state.as_mut() else {
            // An earlier request failed, and `done` was called.
            return None;
        };
        let failure = match results {
            Ok(results) => {
                for (n, result) in results {
                    waiting.found[n] = result;
                }
                waiting.left -= 1;
                None
            }
            Err(error) => Some(error),
        };
        if failure.is_none() && waiting.left > 0 {
            return None;
        }
        let Waiting { found, done, .. } = state.take()?;
        Some(Box::new(move || done(failure.map_or(Ok(found), Err))))
    }
}
