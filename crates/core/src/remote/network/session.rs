//! [`Session`]: one bucket, container or host that this process talks to.
//!
//! ```text
//! run, spawn ─► turn (Limiter) ─► attempt(store) ─► Ok
//!                    ▲                 │
//!                    └─ wait, jitter ──┴─► Failure: passing? busy? keys ended? other region?  else io::Error
//! ```
//!
//! Stores of `object_store` do not retry by themselves here. A request is tried [`Patience::tries`] times, as long as
//! [`Patience::total`] lasts. Keys that have ended are renewed once, and a bucket in another region is asked there once.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use object_store::ObjectStore;
use object_store::multipart::MultipartStore;
use tracing::debug;

use super::failure::{Failure, Meaning};
use super::limiter::Limiter;
use super::runtime::runtime;
use super::seen_versions::SeenVersions;

/// What a session needs of a store: objects, and uploads whose parts come in any order.
pub(crate) trait RemoteStore: ObjectStore + MultipartStore {}

impl<T: ObjectStore + MultipartStore> RemoteStore for T {}

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

/// How long a request is tried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Tries without progress, at most.
    pub(crate) tries: u32,
    /// Tries of a connection, while none was ever made: the host may not be there at all.
    pub(crate) first_tries: u32,
    /// Time without progress after which no further try begins.
    pub(crate) total: Duration,
    /// Wait before the second try. Each further wait is twice as long.
    pub(crate) first_wait: Duration,
    /// Longest wait.
    pub(crate) longest_wait: Duration,
}

impl Patience {
    /// What users get.
    pub(crate) const USUAL: Self = Self {
        tries: 10,
        first_tries: 4,
        total: Duration::from_secs(180),
        first_wait: Duration::from_millis(100),
        longest_wait: Duration::from_secs(15),
    };

    /// The wait after a number of tries: between half of it and all of it, by chance, so that clients that failed together
    /// do not come back together.
    fn wait(&self, tries: u32, chance: f64) -> Duration {
        let doubled = self
            .first_wait
            .saturating_mul(1 << tries.saturating_sub(1).min(16));
        doubled.min(self.longest_wait).mul_f64(0.5 + chance / 2.0)
    }
}

/// Makes the store anew with what a failure told.
pub(super) trait Recipe: Send + Sync {
    /// The store of a bucket in this region.
    ///
    /// # Errors
    /// Why there is none, in one line.
    fn in_region(&self, region: &str) -> Result<Arc<dyn RemoteStore>, String>;

    /// Gets new keys from where the old ones were from. Returns false if there are no others.
    ///
    /// # Errors
    /// Why not, in one line.
    fn renew(&self) -> Result<bool, String>;

    /// What requests are signed with, in words.
    fn identity(&self) -> String;

    /// What else the user should know of a failure, if anything.
    fn hint(&self, failure: &Failure) -> Option<String>;

    /// Texts that no message may hold.
    fn hide(&self, text: String) -> String;

    /// How long the server still wants to be left alone, if it said so.
    fn wanted_wait(&self) -> Option<Duration>;

    /// True if keys can be listed from any key on at no cost.
    fn lists_from_anywhere(&self) -> bool;

    /// False for a server that may have no ranges.
    fn has_ranges(&self) -> bool;

    /// True if the store may answer a request to copy before the copy is there.
    fn copies_later(&self) -> bool;

    /// Signs further requests by the server's clock. Returns false if that cannot be.
    fn correct_clock(&self) -> bool;

    /// Seconds that the server's clock was ahead of this machine's at its last answer, if it told the time.
    fn clock_ahead(&self) -> Option<i64>;
}

/// One bucket, container or host that this process talks to.
pub(crate) struct Session {
    store: RwLock<Arc<dyn RemoteStore>>,
    recipe: Option<Box<dyn Recipe>>,
    shown: String,
    requests: usize,
    limiter: Limiter,
    patience: Patience,
    /// True once any answer came.
    has_answered: AtomicBool,
    /// How often keys were renewed. Requests that were signed with the same old keys renew them once.
    renewals: AtomicU64,
    /// Held while keys are renewed.
    renewing: Mutex<()>,
    /// What objects were known by when they were read.
    seen: SeenVersions,
}

impl Session {
    pub(super) fn new(
        store: Arc<dyn RemoteStore>,
        recipe: Option<Box<dyn Recipe>>,
        shown: String,
        requests: usize,
        patience: Patience,
    ) -> Arc<Self> {
        let requests = requests.max(1);
        Arc::new(Self {
            store: RwLock::new(store),
            recipe,
            shown,
            requests,
            limiter: Limiter::new(requests),
            patience,
            has_answered: AtomicBool::new(false),
            renewals: AtomicU64::new(0),
            renewing: Mutex::default(),
            seen: SeenVersions::default(),
        })
    }

    /// A session over any store, such as one in memory. `shown` is its name in messages.
    #[cfg(test)]
    pub(crate) fn over(store: Arc<dyn RemoteStore>, shown: impl Into<String>) -> Arc<Self> {
        let patience = Patience {
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_millis(4),
            ..Patience::USUAL
        };
        Self::new(store, None, shown.into(), 64, patience)
    }

    /// The store as it is now. An attempt gets it as its argument.
    pub(crate) fn store(&self) -> Arc<dyn RemoteStore> {
        Arc::clone(&self.store.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The name of the bucket, container or host for messages, without secrets.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// What objects were known by when they were read.
    pub(super) fn seen(&self) -> &SeenVersions {
        &self.seen
    }

    /// The most requests that are under way at once.
    pub(crate) fn requests(&self) -> usize {
        self.requests
    }

    /// Runs an operation to its end. The calling thread waits, which must not be one that runs futures. `attempt` makes the
    /// whole operation once, body included. It is called again while its failures may pass, so it must be safe to repeat.
    ///
    /// # Errors
    /// A [`Failure`] inside an `io::Error`, of a fitting kind, with the operation, the cause, and the number of tries.
    pub(crate) fn run<T, F, A>(&self, task: &Task, attempt: A) -> io::Result<T>
    where
        F: Future<Output = object_store::Result<T>>,
        A: Fn(Arc<dyn RemoteStore>) -> F,
    {
        runtime()?.handle().block_on(self.tried(task, attempt))
    }

    /// Waits for a future that makes requests. The calling thread must not be one that runs futures.
    ///
    /// # Errors
    /// If requests cannot be made at all.
    pub(super) fn wait<F: Future>(&self, future: F) -> io::Result<F::Output> {
        Ok(runtime()?.handle().block_on(future))
    }

    /// True if keys can be listed from any key on at no cost.
    pub(super) fn lists_from_anywhere(&self) -> bool {
        self.recipe
            .as_ref()
            .is_none_or(|recipe| recipe.lists_from_anywhere())
    }

    /// False for a server that may have no ranges.
    pub(super) fn has_ranges(&self) -> bool {
        self.recipe.as_ref().is_none_or(|recipe| recipe.has_ranges())
    }

    /// True if the store may answer a request to copy before the copy is there.
    pub(super) fn copies_later(&self) -> bool {
        self.recipe.as_ref().is_some_and(|recipe| recipe.copies_later())
    }

    /// Runs a future in the background. What it returns may block, and runs on a thread of its own.
    ///
    /// # Errors
    /// If requests cannot be made at all.
    pub(super) fn begin(
        future: impl Future<Output = Option<Box<dyn FnOnce() + Send>>> + Send + 'static,
    ) -> io::Result<()> {
        runtime()?.spawn(async move {
            if let Some(then) = future.await {
                tokio::task::spawn_blocking(then);
            }
        });
        Ok(())
    }

    /// Begins an operation, and passes its result to `done` on a thread that may block. Any number may be begun; at most
    /// [`Session::requests`] are under way. See [`Session::run`].
    pub(crate) fn spawn<T, F, A>(
        self: &Arc<Self>,
        task: Task,
        attempt: A,
        done: impl FnOnce(io::Result<T>) + Send + 'static,
    ) where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
        A: Fn(Arc<dyn RemoteStore>) -> F + Send + Sync + 'static,
    {
        let runtime = match runtime() {
            Ok(runtime) => runtime,
            Err(e) => return done(Err(e)),
        };
        let session = Arc::clone(self);
        runtime.spawn(async move {
            let result = session.tried(&task, attempt).await;
            tokio::task::spawn_blocking(move || done(result));
        });
    }

    /// Tries an operation until it succeeds, or fails for good: for code that is asynchronous itself.
    ///
    /// # Errors
    /// See [`Session::run`].
    pub(crate) async fn tried<T, F, A>(&self, task: &Task, attempt: A) -> io::Result<T>
    where
        F: Future<Output = object_store::Result<T>>,
        A: Fn(Arc<dyn RemoteStore>) -> F,
    {
        let mut begun = Instant::now();
        let (mut tries, mut renewed, mut moved, mut corrected) = (0, false, false, false);
        loop {
            let queued = Instant::now();
            let turn = self.limiter.turn().await;
            // Time in the queue of the limiter is no time without an answer.
            begun += queued.elapsed();
            let renewals = self.renewals.load(Ordering::Acquire);
            let failure = match attempt(self.store()).await {
                Ok(found) => {
                    self.has_answered.store(true, Ordering::Relaxed);
                    turn.succeeded();
                    return Ok(found);
                }
                Err(error) => Failure::of(&error),
            };
            match failure.meaning {
                Meaning::Busy => turn.was_too_much(),
                _ => drop(turn),
            }
            if failure.meaning != Meaning::NoConnection {
                self.has_answered.store(true, Ordering::Relaxed);
            }
            if task.progress.swap(false, Ordering::Relaxed) {
                (tries, begun) = (0, Instant::now());
            }
            tries += 1;
            match &failure.meaning {
                Meaning::Expired if !renewed => {
                    renewed = true;
                    if self
                        .renew(renewals)
                        .map_err(|why| self.failed(task, failure.clone(), tries, &why))?
                    {
                        continue;
                    }
                }
                Meaning::Skewed if !corrected => {
                    corrected = true;
                    if self.recipe.as_ref().is_some_and(|recipe| recipe.correct_clock()) {
                        continue;
                    }
                }
                Meaning::OtherRegion(region) if !moved => {
                    moved = true;
                    if self
                        .move_to(region)
                        .map_err(|why| self.failed(task, failure.clone(), tries, &why))?
                    {
                        continue;
                    }
                }
                _ => {}
            }
            let no_host =
                failure.meaning == Meaning::NoConnection && !self.has_answered.load(Ordering::Relaxed);
            let most = match no_host {
                true => self.patience.first_tries,
                false => self.patience.tries,
            };
            let wanted = self.recipe.as_ref().and_then(|recipe| recipe.wanted_wait());
            let wait = self.patience.wait(tries, chance());
            let wait = wait.max(wanted.unwrap_or_default());
            let in_time = begun.elapsed() + wait < self.patience.total;
            if !failure.meaning.may_pass() || tries >= most || !in_time {
                return Err(self.failed(task, failure, tries, ""));
            }
            debug!(%task, why = self.hidden(failure.text), ?wait, "trying again");
            tokio::time::sleep(wait).await;
        }
    }

    /// Gets new keys, if no other request did since `renewals` of them. Returns false if there are no others.
    fn renew(&self, renewals: u64) -> Result<bool, String> {
        let Some(recipe) = &self.recipe else {
            return Ok(false);
        };
        // A program that gives keys runs for seconds. The threads of the runtime have other requests to serve.
        tokio::task::block_in_place(|| {
            let _alone = self.renewing.lock().unwrap_or_else(PoisonError::into_inner);
            if self.renewals.load(Ordering::Acquire) != renewals {
                return Ok(true);
            }
            let is_new = recipe.renew()?;
            self.renewals.fetch_add(1, Ordering::Release);
            Ok(is_new)
        })
    }

    fn move_to(&self, region: &str) -> Result<bool, String> {
        let Some(recipe) = &self.recipe else {
            return Ok(false);
        };
        let store = recipe.in_region(region)?;
        *self.store.write().unwrap_or_else(PoisonError::into_inner) = store;
        Ok(true)
    }

    /// The error for the caller. `also` is a second reason, or empty.
    fn failed(&self, task: &Task, failure: Failure, tries: u32, also: &str) -> io::Error {
        let hint = self.recipe.as_ref().and_then(|recipe| recipe.hint(&failure));
        let Failure { meaning, text, .. } = failure;
        let mut line = match meaning {
            Meaning::NoBucket | Meaning::NoConnection => format!("{task}: {text}: {}", self.shown),
            _ => format!("{task}: {text}"),
        };
        if tries > 1 && meaning.may_pass() {
            line.push_str(&format!("; tried {tries} times"));
        }
        if let Some(recipe) = &self.recipe {
            match meaning {
                Meaning::Refused | Meaning::Expired => {
                    line.push_str(&format!("; credentials: {}", recipe.identity()));
                }
                Meaning::Skewed => {
                    if let Some(ahead) = recipe.clock_ahead() {
                        line.push_str(&format!(
                            "; the server's clock is {} s {} this machine's, which has to be set",
                            ahead.abs(),
                            if ahead > 0 { "ahead of" } else { "behind" }
                        ));
                    }
                }
                _ => {}
            }
        }
        if let Some(hint) = hint {
            line.push_str(&format!("; {hint}"));
        }
        if !also.is_empty() {
            line.push_str(&format!("; {also}"));
        }
        Failure::new(meaning, self.hidden(line)).into_error()
    }

    /// A text without secrets.
    fn hidden(&self, text: String) -> String {
        match &self.recipe {
            Some(recipe) => recipe.hide(text),
            None => text,
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("shown", &self.shown)
            .finish_non_exhaustive()
    }
}

/// A number from 0 to 1 that differs from call to call and from process to process.
fn chance() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(Instant::now()) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests;
