//! [`Session`]: one bucket, container or host that this process talks to.
//!
//! ```text
//! run, spawn ─► turn (Limiter) ─► attempt(store) ─► Ok
//!                    ▲                 │
//!                    └─ wait, jitter ──┴─► Failure: passing? busy? keys ended? other region?  else io::Error
//! ```
//!
//! Stores of `object_store` do not retry by themselves here. A request is tried [`RetryConfig::tries`] times, as long as
//! [`RetryConfig::total`] lasts. Keys that have ended are renewed once, and a bucket in another region is asked there once.

use crate::wire::{Failure, Meaning};
use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::{Mutex, RwLock};
use tracing::debug;

use super::limiter::Limiter;
use super::recipe::Recipe;
use super::retry_config::RetryConfig;
use super::runtime::runtime;
use super::seen_versions::SeenVersions;
use super::store::RemoteStore;
use super::task::Task;

/// One bucket, container or host that this process talks to.
pub struct Session {
    store: RwLock<Arc<dyn RemoteStore>>,
    recipe: Box<dyn Recipe>,
    shown: String,
    limiter: Arc<Limiter>,
    retry: RetryConfig,
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
    pub(crate) fn new(
        store: Arc<dyn RemoteStore>,
        recipe: impl Recipe + 'static,
        shown: String,
        limiter: Arc<Limiter>,
        retry: RetryConfig,
    ) -> Arc<Self> {
        Arc::new(Self {
            store: RwLock::new(store),
            recipe: Box::new(recipe),
            shown,
            limiter,
            retry,
            has_answered: AtomicBool::new(false),
            renewals: AtomicU64::new(0),
            renewing: Mutex::default(),
            seen: SeenVersions::default(),
        })
    }

    /// A session over any store of `object_store`, such as one in memory. `shown` is its name in messages.
    pub fn of_store(store: Arc<dyn RemoteStore>, shown: impl Into<String>) -> Arc<Self> {
        Self::new(
            store,
            (),
            shown.into(),
            Arc::new(Limiter::new(64)),
            RetryConfig::DEFAULT,
        )
    }

    /// The store as it is now. An attempt gets it as its argument.
    pub(crate) fn store(&self) -> Arc<dyn RemoteStore> {
        Arc::clone(&self.store.read())
    }

    /// The name of the bucket, container or host for messages, without secrets.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// What objects were known by when they were read.
    pub(crate) fn seen(&self) -> &SeenVersions {
        &self.seen
    }

    /// The most requests that are under way at once.
    pub(crate) fn requests(&self) -> usize {
        self.limiter.most()
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
        self.wait(self.tried(task, attempt))?
    }

    /// Waits for a future that makes requests. The calling thread must not be one that runs futures.
    ///
    /// # Errors
    /// If requests cannot be made at all.
    pub(crate) fn wait<F: Future>(&self, future: F) -> io::Result<F::Output> {
        Ok(runtime()?.handle().block_on(future))
    }

    /// Runs a future in the background. What it returns may block, and runs on a thread of its own.
    ///
    /// # Errors
    /// If requests cannot be made at all.
    pub(crate) fn begin(
        future: impl Future<Output = Option<Box<dyn FnOnce() + Send>>> + Send + 'static,
    ) -> io::Result<()> {
        runtime()?.spawn(async move {
            if let Some(then) = future.await {
                tokio::task::spawn_blocking(then);
            }
        });
        Ok(())
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
        let (mut tries, mut renewed, mut moved) = (0, false, false);
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
            if task.take_progress() {
                (tries, begun) = (0, Instant::now());
            }
            tries += 1;
            let mended = match &failure.meaning {
                Meaning::Expired if !std::mem::replace(&mut renewed, true) => self.renew(renewals),
                Meaning::OtherRegion(region) if !std::mem::replace(&mut moved, true) => self.move_to(region),
                _ => Ok(false),
            };
            match mended {
                Ok(true) => continue,
                Ok(false) => {}
                Err(why) => return Err(self.failed(task, failure, tries, &why)),
            }
            let is_unknown =
                failure.meaning == Meaning::NoConnection && !self.has_answered.load(Ordering::Relaxed);
            let most = if is_unknown {
                self.retry.first_tries
            } else {
                self.retry.tries
            };
            let wanted = self.recipe.wanted_wait().unwrap_or_default();
            let wait = self.retry.wait(tries, chance()).max(wanted);
            let in_time = begun.elapsed() + wait < self.retry.total;
            if !failure.meaning.may_pass() || tries >= most || !in_time {
                return Err(self.failed(task, failure, tries, ""));
            }
            debug!(%task, why = self.recipe.hide(failure.text), ?wait, "trying again");
            tokio::time::sleep(wait).await;
        }
    }

    /// Gets new keys, if no other request did since `renewals` of them. Returns false if there are no others.
    fn renew(&self, renewals: u64) -> Result<bool, String> {
        // A program that gives keys runs for seconds. The threads of the runtime have other requests to serve.
        tokio::task::block_in_place(|| {
            let _alone = self.renewing.lock();
            if self.renewals.load(Ordering::Acquire) != renewals {
                return Ok(true);
            }
            let is_new = self.recipe.renew()?;
            self.renewals.fetch_add(1, Ordering::Release);
            Ok(is_new)
        })
    }

    fn move_to(&self, region: &str) -> Result<bool, String> {
        *self.store.write() = self.recipe.in_region(region)?;
        Ok(true)
    }

    /// The error for the caller. `also` is a second reason, or empty.
    fn failed(&self, task: &Task, failure: Failure, tries: u32, also: &str) -> io::Error {
        let hint = self.recipe.hint(&failure);
        let Failure { meaning, text, .. } = failure;
        let mut line = match meaning {
            Meaning::NoBucket | Meaning::NoConnection => format!("{task}: {text}: {}", self.shown),
            _ => format!("{task}: {text}"),
        };
        if tries > 1 && meaning.may_pass() {
            line.push_str(&format!("; tried {tries} times"));
        }
        if let (Meaning::Refused | Meaning::Expired, Some(identity)) = (&meaning, self.recipe.identity()) {
            line.push_str(&format!("; credentials: {identity}"));
        }
        for more in [hint.as_deref().unwrap_or_default(), also] {
            if !more.is_empty() {
                line.push_str(&format!("; {more}"));
            }
        }
        Failure::new(meaning, self.recipe.hide(line)).into_error()
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
