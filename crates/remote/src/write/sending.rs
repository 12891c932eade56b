//! [`Sending`]: the requests of one output that are on their way, and the memory that they hold.
//!
//! ```text
//! send ─► is there room for its bytes? ─► Session::begin ─► then ─► room again
//!            └─ no: the thread waits       └─ fails: kept, and told to whoever sends or waits next
//! ```

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::requests::{RemoteStore, Session, Task};
use crate::wire::Failure;
use ncutils_store::FailedKey;

/// The requests of one output. Many threads send at once.
pub(crate) struct Sending {
    session: Arc<Session>,
    /// Most bytes of values that wait for an answer, or are kept to be sent.
    limit: u64,
    state: Mutex<State>,
    changed: Condvar,
    /// True once the output was given up: no further try of any request begins.
    stopped: AtomicBool,
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

impl Sending {
    /// The requests of an output that may hold `limit` bytes of memory.
    pub(crate) fn new(session: Arc<Session>, limit: u64) -> Arc<Self> {
        Arc::new(Self {
            session,
            limit,
            state: Mutex::default(),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
        })
    }

    /// Most bytes of memory that the output may hold.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// The session that the requests are made by.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The first failure of a request, again.
    ///
    /// # Errors
    /// That failure.
    pub(crate) fn check(&self) -> io::Result<()> {
        self.state.lock().check()
    }

    /// Sends a request that holds `bytes` bytes of memory until its answer. Waits until there is room for them. `then` gets
    /// the answer before the room is free again. `key` is the key that the user knows; empty for a single object.
    ///
    /// # Errors
    /// The failure of an earlier request. Its own failure is told by a later call.
    pub(crate) fn send<T: Send + 'static>(
        self: &Arc<Self>,
        bytes: u64,
        key: &str,
        task: &Task,
        request: impl Future<Output = io::Result<T>> + Send + 'static,
        then: impl FnOnce(T) + Send + 'static,
    ) -> io::Result<()> {
        let mut state = self.state.lock();
        loop {
            state.check()?;
            let held = state.under_way.saturating_add(state.kept).saturating_add(bytes);
            if bytes == 0 || held <= self.limit || state.under_way == 0 {
                break;
            }
            self.changed.wait(&mut state);
        }
        state.under_way += bytes;
        state.requests += 1;
        drop(state);
        let (key, begin) = (key.to_owned(), format!("{task}: "));
        let this = Arc::clone(self);
        let answered = move |answer: io::Result<T>| {
            let failure = answer.map(then).err().map(|e| {
                // Callers add what they could not do.
                let text = e.to_string();
                let text = text.strip_prefix(&begin).unwrap_or(&text).to_owned();
                (key, e.kind(), text)
            });
            this.ended(bytes, failure);
        };
        let begun = Session::begin(async move {
            let answer = request.await;
            Some(Box::new(move || answered(answer)) as _)
        });
        begun.inspect_err(|_| self.ended(bytes, None))
    }

    /// Counts a request that has its answer, or was never made.
    fn ended(&self, bytes: u64, failure: Option<(String, io::ErrorKind, String)>) {
        let mut state = self.state.lock();
        state.under_way -= bytes;
        state.requests -= 1;
        state.failure = state.failure.take().or(failure);
        drop(state);
        self.changed.notify_all();
    }

    /// Tries a request until it succeeds, or fails for good. No try begins once the output was given up.
    ///
    /// # Errors
    /// Those of the session.
    pub(crate) async fn tried<T, F>(
        &self,
        task: &Task,
        attempt: impl Fn(Arc<dyn RemoteStore>) -> F,
    ) -> io::Result<T>
    where
        F: Future<Output = object_store::Result<T>>,
    {
        let unless_stopped = |store| {
            let attempt = (!self.stopped.load(Ordering::Relaxed)).then(|| attempt(store));
            async {
                match attempt {
                    Some(attempt) => attempt.await,
                    None => Err(Failure::last(GIVEN_UP).into()),
                }
            }
        };
        self.session.tried(task, unless_stopped).await
    }

    /// Counts `bytes` more bytes that are kept in memory. Where there is no room, it waits for requests under way.
    ///
    /// Returns false if waiting would not help: the bytes are not counted then.
    ///
    /// # Errors
    /// The failure of an earlier request.
    pub(crate) fn keep(&self, bytes: u64) -> io::Result<bool> {
        let mut state = self.state.lock();
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
            self.changed.wait(&mut state);
        }
    }

    /// Counts `bytes` bytes that are kept, whether or not there is room.
    pub(crate) fn keep_anyway(&self, bytes: u64) {
        self.state.lock().kept += bytes;
    }

    /// Counts `bytes` fewer bytes that are kept.
    pub(crate) fn release(&self, bytes: u64) {
        let mut state = self.state.lock();
        state.kept = state.kept.saturating_sub(bytes);
        drop(state);
        self.changed.notify_all();
    }

    /// Bytes that are held now.
    #[cfg(test)]
    pub(crate) fn held(&self) -> u64 {
        let state = self.state.lock();
        state.kept + state.under_way
    }

    /// Waits until every request has its answer.
    ///
    /// # Errors
    /// The first failure.
    pub(crate) fn wait(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, |state| state.requests > 0);
        state.check()
    }

    /// Begins no further request, and waits for those under way, at most as long as `longest`. Requests of the session itself
    /// are still made.
    pub(crate) fn stop(&self, longest: Duration) {
        self.stopped.store(true, Ordering::Relaxed);
        let mut state = self.state.lock();
        let given_up = || (String::new(), io::ErrorKind::Other, GIVEN_UP.to_owned());
        state.failure.get_or_insert_with(given_up);
        let end = Instant::now() + longest;
        self.changed
            .wait_while_until(&mut state, |state| state.requests > 0, end);
    }
}

impl State {
    fn check(&self) -> io::Result<()> {
        let Some((key, kind, text)) = &self.failure else {
            return Ok(());
        };
        let failure = io::Error::new(*kind, text.clone());
        Err(match key.as_str() {
            "" => failure,
            key => FailedKey::error(key, failure),
        })
    }
}
