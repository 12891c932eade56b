//! The progress bar, shown only on a terminal, and only for work that takes a while.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use ncutils_core::copy::Progress;

/// Time until the bar appears.
const PATIENCE: Duration = Duration::from_millis(800);

/// What the bar of one copy shows.
const OF_BYTES: &str = "{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}";

/// What the bar of several copies shows.
const OF_FILES: &str = "{bar:40} {msg} {bytes}/{total_bytes} {eta}";

/// A progress bar that appears once the work has taken 0.8 s.
#[derive(Debug)]
pub struct Bar {
    shows: &'static str,
    begun: Instant,
    total: AtomicU64,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Bar {
    /// A bar, if standard error is a terminal.
    pub fn on_terminal() -> Option<Self> {
        std::io::stderr().is_terminal().then(|| Self {
            shows: OF_BYTES,
            begun: Instant::now(),
            total: AtomicU64::new(0),
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
        })
    }

    /// Removes the bar from the terminal.
    pub fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn start(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    fn advance(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let bar = ProgressBar::new(self.total.load(Ordering::Relaxed));
            let style = ProgressStyle::with_template(self.shows);
            style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
        });
        bar.set_position(done);
    }
}

/// The progress of several copies: files, and bytes of the inputs.
#[derive(Debug)]
pub struct FilesBar {
    bar: Bar,
    files: u64,
    done: AtomicU64,
}

impl FilesBar {
    /// A bar for a number of inputs that have `bytes` in all, if standard error is a terminal.
    pub fn on_terminal(files: u64, bytes: impl FnOnce() -> u64) -> Option<Arc<Self>> {
        let bar = Bar {
            shows: OF_FILES,
            ..Bar::on_terminal()?
        };
        bar.start(bytes());
        let done = AtomicU64::new(0);
        Some(Arc::new(Self { bar, files, done }))
    }

    /// The progress of one input of so many bytes.
    pub fn file(self: &Arc<Self>, size: u64) -> FileProgress {
        FileProgress {
            bar: self.clone(),
            size,
            total: AtomicU64::new(0),
            work: AtomicU64::new(0),
            told: AtomicU64::new(0),
        }
    }

    /// Removes the bar from the terminal.
    pub fn clear(&self) {
        self.bar.clear();
    }
}

/// The progress of one input of several. What is left of it counts as done when this is dropped.
#[derive(Debug)]
pub struct FileProgress {
    bar: Arc<FilesBar>,
    /// Bytes of the input.
    size: u64,
    /// Bytes of work.
    total: AtomicU64,
    /// Bytes of work that are done.
    work: AtomicU64,
    /// Bytes of the input that the bar knows of.
    told: AtomicU64,
}

impl FileProgress {
    fn tell_up_to(&self, done: u64) {
        let told = self.told.fetch_max(done, Ordering::Relaxed);
        self.bar.bar.advance(done.saturating_sub(told));
    }
}

impl Progress for FileProgress {
    fn start(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    fn advance(&self, bytes: u64) {
        let work = self.work.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let total = self.total.load(Ordering::Relaxed).max(1);
        let done = u128::from(self.size) * u128::from(work.min(total)) / u128::from(total);
        self.tell_up_to(u64::try_from(done).unwrap_or(self.size));
    }
}

impl Drop for FileProgress {
    fn drop(&mut self) {
        self.tell_up_to(self.size);
        let done = self.bar.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(bar) = self.bar.bar.bar.get() {
            bar.set_message(format!("{done} of {} files", self.bar.files));
        }
    }
}
