//! [`Keeper`]: tells others that a part is being made, and finds out when its job is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ncutils_core::distributed::{Notes, PartNotes};

/// How often a process tells that it makes a part, and looks whether the job goes on.
pub(crate) const TELLS_EVERY: Duration = Duration::from_secs(30);

/// Looks after the notes of a part as long as it is made.
pub struct Keeper {
    ends: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Begins. `is_over` becomes true when the job is over.
    pub fn new(notes: Notes, part: PartNotes, is_over: Arc<AtomicBool>) -> Self {
        let (ends, ended) = channel();
        let keep = move || {
            while ended.recv_timeout(TELLS_EVERY) == Err(RecvTimeoutError::Timeout) {
                if matches!(notes.runs(), Ok(false)) {
                    is_over.store(true, Ordering::Relaxed);
                    return;
                }
                // A store that fails for a moment is no reason to give up: the part itself will tell.
                let _ = part.begin();
            }
        };
        let thread = thread::Builder::new().name("keeper".to_owned()).spawn(keep);
        Self {
            ends: Some(ends),
            thread: thread.ok(),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.ends.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
