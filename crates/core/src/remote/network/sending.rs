//! [`Sending`]: the requests of one output that are on their way, and the memory that they hold.
//!
//! ```text
//! send ─► is there room for its bytes? ─► Session::spawn ─► then ─► room again
//!            └─ no: the thread waits       └─ fails: kept, and told to whoever sends or waits next
//! ```

use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::session::{RemoteStore, Session, Task};
use crate::store::FailedKey;

/// The requests of one output. Many threads send at once.
pub(super) struct Sending {
    session: Arc<Session>,
    /// Most bytes of values that wait for an answer, or are kept to be sent.
    limit: u64,
    state: Mutex<State>,
    changed: Condvar,
    /// True once the output was given up: no further try of any request begins.
    stopped: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    /// Bytes of requests without an answer.
    under_way: u64,
    /// Bytes that outputs keep in memory until they are sent.
    kept: u64,
    /// Requests without an answer.
    requests: u64,
    /// The first failure: key, kind and text.
    failure: Option<(String, io::ErrorKind, String)>,
}

/// Why a request was not tried.
const GIVEN_UP: &str = "the output was given up";

fn given_up() -> object_store::Error {
    object_store::Error::Generic {
        store: "ncutils",
        source: GIVEN_UP.into(),
    }
}

impl Sending {
    /// The requests of an output that may hold `limit` bytes of memory.
    pub(super) fn new(session: Arc<Session>, limit: u64) -> Arc<Self> {
        Arc::new(Self {
            session,
            limit,
            state: Mutex::default(),
            changed: Condvar::new(),
            stopped: Arc::default(),
        })
    }

    /// Most bytes of memory that the output may hold.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The session that the requests are made by.
    pub(super) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The name of the bucket for messages.
    pub(super) fn shown(&self) -> &str {
        self.session.shown()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first failure of a request, again.
    ///
    /// # Errors
    /// That failure.
    pub(super) fn check(&self) -> io::Result<()> {
        self.state().check()
    }

    /// Runs a request while the calling thread waits.
    ///
    /// # Errors
    /// Those of [`Session::run`].
    pub(super) fn run<T, F, A>(&self, task: &Task, attempt: A) -> io::Result<T>
    where
        F: Future<Output = object_store::Result<T>>,
        A: Fn(Arc<dyn RemoteStore>) -> F,
    {
        self.session.run(task, attempt)
    }

    /// Sends a request that holds `bytes` bytes of memory until its answer. Waits until there is room for them. `then` gets
    /// the answer before the room is free again. `key` is the key that the user knows; empty for a single object.
    ///
    /// # Errors
    /// The failure of an earlier request. Its own failure is told by a later call.
    pub(super) fn send<T, F, A>(
        self: &Arc<Self>,
        bytes: u64,
        key: &str,
        task: Task,
        attempt: A,
        then: impl FnOnce(T) + Send + 'static,
    ) -> io::Result<()>
    where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
        A: Fn(Arc<dyn RemoteStore>) -> F + Send + Sync + 'static,
    {
        let mut state = self.state();
        loop {
            state.check()?;
            let held = state.under_way.saturating_add(state.kept).saturating_add(bytes);
            if bytes == 0 || held <= self.limit || state.under_way == 0 {
                break;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.under_way += bytes;
        drop(state);
        self.begin(bytes, key, task, attempt, then);
        Ok(())
    }

    /// Sends a request that holds no memory, without waiting: what follows from an answer.
    pub(super) fn follow<T, F, A>(
        self: &Arc<Self>,
        key: &str,
        task: Task,
        attempt: A,
        then: impl FnOnce(T) + Send + 'static,
    ) where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
        A: Fn(Arc<dyn RemoteStore>) -> F + Send + Sync + 'static,
    {
        self.begin(0, key, task, attempt, then);
    }

    fn begin<T, F, A>(
        self: &Arc<Self>,
        bytes: u64,
        key: &str,
        task: Task,
        attempt: A,
        then: impl FnOnce(T) + Send + 'static,
    ) where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
        A: Fn(Arc<dyn RemoteStore>) -> F + Send + Sync + 'static,
    {
        self.state().requests += 1;
        let stopped = Arc::clone(&self.stopped);
        let (key, begin) = (key.to_owned(), format!("{task}: "));
        let attempt = move |store: Arc<dyn RemoteStore>| {
            let trial = (!stopped.load(Ordering::Relaxed)).then(|| attempt(store));
            async move {
                match trial {
                    Some(trial) => trial.await,
                    None => Err(given_up()),
                }
            }
        };
        let this = Arc::clone(self);
        self.session.spawn(task, attempt, move |answer| {
            let failure = match answer {
                Ok(answer) => {
                    then(answer);
                    None
                }
                Err(e) => {
                    // Callers add what they could not do.
                    let text = e.to_string();
                    let text = text.strip_prefix(&begin).unwrap_or(&text).to_owned();
                    Some((key, e.kind(), text))
                }
            };
            let mut state = this.state();
            state.under_way -= bytes;
            state.requests -= 1;
            if state.failure.is_none() {
                state.failure = failure;
            }
            drop(state);
            this.changed.notify_all();
        });
    }

    /// Counts `bytes` more bytes that are kept in memory. Where there is no room, it waits for requests under way.
    ///
    /// Returns false if waiting would not help: the bytes are not counted then.
    ///
    /// # Errors
    /// The failure of an earlier request.
    pub(super) fn keep(&self, bytes: u64) -> io::Result<bool> {
        let mut state = self.state();
        loop {
            state.check()?;
            let kept = state.kept.saturating_add(bytes);
            if kept.saturating_add(state.under_way) <= self.limit {
                state.kept = kept;
                return Ok(true);
            }
            // More than half of the memory is for requests under way, so that the line is never idle.
            if state.under_way == 0 || kept > self.limit / 2 {
                return Ok(false);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Counts `bytes` bytes that are kept, whether or not there is room.
    pub(super) fn keep_anyway(&self, bytes: u64) {
        self.state().kept += bytes;
    }

    /// Counts `bytes` fewer bytes that are kept.
    pub(super) fn release(&self, bytes: u64) {
        let mut state = self.state();
        state.kept = state.kept.saturating_sub(bytes);
        drop(state);
        self.changed.notify_all();
    }

    /// Bytes that are held now.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        let state = self.state();
        state.kept + state.under_way
    }

    /// Waits until every request has its answer.
    ///
    /// # Errors
    /// The first failure.
    pub(super) fn wait(&self) -> io::Result<()> {
        let mut state = self.state();
        while state.requests > 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.check()
    }

    /// Begins no further request, and waits for those under way, at most as long as `patience`. Later requests are sent by
    /// [`Sending::run`] alone.
    pub(super) fn stop(&self, patience: Duration) {
        self.stopped.store(true, Ordering::Relaxed);
        let mut state = self.state();
        state
            .failure
            .get_or_insert_with(|| (String::new(), io::ErrorKind::Other, GIVEN_UP.to_owned()));
        let end = Instant::now() + patience;
        while state.requests > 0 {
            let Some(left) = end.checked_duration_since(Instant::now()) else {
                return;
            };
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl State {
    fn check(&self) -> io::Result<()> {
        match &self.failure {
            Some((key, kind, text)) => {
                let failure = io::Error::new(*kind, text.clone());
                Err(if key.is_empty() {
                    failure
                } else {
                    FailedKey::error(key, failure)
                })
            }
            None => Ok(()),
        }
    }
}
