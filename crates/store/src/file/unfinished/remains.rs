//! What an output that failed has left behind, for the user.

use std::sync::{Mutex, PoisonError};

static REMAINS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Notes what stays in a folder or a store, in one line without secrets.
pub fn remains(what: String) {
    REMAINS.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

/// What this process could not remove, one line each. Later calls do not repeat it.
pub fn take_remains() -> Vec<String> {
    std::mem::take(&mut *REMAINS.lock().unwrap_or_else(PoisonError::into_inner))
}
