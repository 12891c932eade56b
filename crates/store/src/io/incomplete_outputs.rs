//! Outputs on remote stores that are not complete, so that a program can give them up when it is told to end.
//!
//! What could not be removed is told by [`remains`](crate::file::unfinished::remains::remains).

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::file::unfinished::partial::wait_while_ending;

/// An output that is not complete.
pub trait Unfinished: Send + Sync {
    /// Removes from the store what was written, as far as it can within seconds. Called from any thread, also while others
    /// write. What stays is told by [`remains`](crate::file::unfinished::remains::remains).
    fn give_up(&self);
}

static UNFINISHED: Mutex<Vec<Weak<dyn Unfinished>>> = Mutex::new(Vec::new());

fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An output that is listed as long as it lives, and given up when it is dropped. Waits for ever if the process is being ended.
pub struct IncompleteOutput<T: Unfinished>(Arc<T>);

impl<T: Unfinished + 'static> IncompleteOutput<T> {
    /// Lists an output.
    pub fn new(output: Arc<T>) -> Self {
        wait_while_ending();
        let listed: Weak<T> = Arc::downgrade(&output);
        let mut all = lock(&UNFINISHED);
        all.retain(|output| output.strong_count() > 0);
        all.push(listed);
        Self(output)
    }
}

impl<T: Unfinished> Deref for IncompleteOutput<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.0
    }
}

impl<T: Unfinished> Drop for IncompleteOutput<T> {
    fn drop(&mut self) {
        wait_while_ending();
        self.0.give_up();
    }
}

/// Gives up all outputs that are listed.
pub(crate) fn give_up_all() {
    let all = std::mem::take(&mut *lock(&UNFINISHED));
    for output in all.iter().filter_map(Weak::upgrade) {
        output.give_up();
    }
}
