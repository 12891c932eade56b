//! Work on each of many items, several at once where requests take long.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::store::Requests;
use crate::threads::on_all;

/// The most items that are worked on at once.
const MOST_AT_ONCE: usize = 64;

/// Calls `one` for each number below `count`, several at once if requests to the store take long.
///
/// # Errors
/// The error of the first number that failed.
pub fn each<T: Send>(
    count: usize,
    requests: Requests,
    one: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    if !requests.ahead {
        return (0..count).map(one).collect();
    }
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(count));
    on_all(requests.in_flight.min(MOST_AT_ONCE).min(count), |_, _| {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= count {
                return;
            }
            let done = one(n);
            found
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((n, done));
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(n, _)| *n);
    found.into_iter().map(|(_, done)| done).collect()
}
