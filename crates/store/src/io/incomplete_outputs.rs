//! Outputs on remote stores that are not complete, so that a program can give them up when it is told to end.
//!
//! What could not be removed is told by [`remains`](crate::file::remains::remains).

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

/// An output that is not complete.
pub trait Unfinished: Send + Sync {
    /// Removes from the store what was written, as far as it can within seconds. Called from any thread, also while others
    /// write. What stays is told by [`remains`](crate::file::remains::remains).
    fn give_up(&self);
}

static UNFINISHED: Mutex<Vec<Weak<dyn Unfinished>>> = Mutex::new(Vec::new());

fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lists an output. It is forgotten when it is dropped. Waits for ever if the process is being ended.
pub fn list(output: Weak<dyn Unfinished>) {
    crate::file::partial::wait_while_ending();
    let mut all = lock(&UNFINISHED);
    all.retain(|output| output.strong_count() > 0);
    all.push(output);
}

/// Gives up all outputs that are listed.
pub(crate) fn give_up_all() {
    let all = std::mem::take(&mut *lock(&UNFINISHED));
    for output in all.iter().filter_map(Weak::upgrade) {
        output.give_up();
    }
}
