//! The progress bar, shown only on a terminal, and only for work that takes a while.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use ncutils_core::copy::Progress;

/// Time until the bar appears.
const PATIENCE: Duration = Duration::from_millis(800);

/// A progress bar that appears once the work has taken 0.8 s.
pub struct Bar {
    begun: Instant,
    total: AtomicU64,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Bar {
    /// A bar, if standard error is a terminal.
    pub fn on_terminal() -> Option<Self> {
        std::io::stderr().is_terminal().then(|| Self {
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
            let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
            style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
        });
        bar.set_position(done);
    }
}
