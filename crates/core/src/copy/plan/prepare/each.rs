//! Work on each of many items, several at once where requests take long.

use crate::error::Result;
use crate::store::Requests;
use crate::threads::try_map;

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
    let numbers: Vec<usize> = (0..count).collect();
    try_map(at_once(requests), 1, &numbers, |n| one(*n))
}

/// How many items are worked on at once.
pub fn at_once(requests: Requests) -> usize {
    match requests.ahead {
        true => requests.in_flight.min(MOST_AT_ONCE),
        false => 1,
    }
}
