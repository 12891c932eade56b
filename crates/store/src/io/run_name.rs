//! Names of runs that write an output.

use std::hash::{BuildHasher, RandomState};
use std::time::Instant;

/// A name that no other run has: 16 hexadecimal digits.
pub fn new_run() -> String {
    let hash = RandomState::new().hash_one((Instant::now(), std::process::id()));
    format!("{hash:016x}")
}
