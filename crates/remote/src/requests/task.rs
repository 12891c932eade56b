//! [`Task`]: one operation, for messages and for counting its tries.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One operation, for messages and for counting its tries.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    operation: &'static str,
    key: String,
    progress: Arc<AtomicBool>,
}

impl Task {
    /// An operation, such as `read` or `write`, on a key. The key is as messages show it. It is empty where the session's
    /// caller names the object.
    pub(crate) fn new(operation: &'static str, key: impl Into<String>) -> Self {
        Self {
            operation,
            key: key.into(),
            progress: Arc::default(),
        }
    }

    /// Tells that a try has brought something that the next one needs not bring again. Tries are then counted anew.
    pub(crate) fn has_moved(&self) {
        self.progress.store(true, Ordering::Relaxed);
    }

    /// True if a try was progress since the last call.
    pub(super) fn take_progress(&self) -> bool {
        self.progress.swap(false, Ordering::Relaxed)
    }

    /// Takes [`has_moved`](Self::has_moved) back, where the next try begins anew.
    pub(crate) fn has_not_moved(&self) {
        self.progress.store(false, Ordering::Relaxed);
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.as_str() {
            "" => write!(f, "cannot {}", self.operation),
            key => write!(f, "cannot {} {}", self.operation, key.escape_debug()),
        }
    }
}
