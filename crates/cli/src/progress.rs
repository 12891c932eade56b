//! The progress of copies: a bar on a terminal for work that takes a while, or lines of JSON.

mod lines;

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use ncutils_core::copy::Progress;

use lines::Lines;

/// Time until the bar appears.
const PATIENCE: Duration = Duration::from_millis(800);

/// What the bar of one copy shows.
const OF_BYTES: &str = "{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}";

/// What the bar of several copies shows.
const OF_FILES: &str = "{bar:40} {msg} {bytes}/{total_bytes} {eta}";

/// Shows how much of the work is done: by a bar that appears once the work has taken 0.8 s, or by lines of JSON.
#[derive(Debug)]
pub struct Bar {
    form: Form,
    total: AtomicU64,
    done: AtomicU64,
    files: Option<Files>,
}

#[derive(Debug)]
enum Form {
    OnTerminal {
        begun: Instant,
        bar: OnceLock<ProgressBar>,
    },
    Lines(Lines),
}

/// Number of files, of several copies.
#[derive(Debug)]
struct Files {
    done: AtomicU64,
    all: u64,
}

impl Files {
    fn told(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.all)
    }
}

impl Bar {
    fn new(form: Form) -> Self {
        Self {
            form,
            total: AtomicU64::new(0),
            done: AtomicU64::new(0),
            files: None,
        }
    }

    /// A bar, if standard error is a terminal.
    pub fn on_terminal() -> Option<Self> {
        std::io::stderr().is_terminal().then(|| {
            Self::new(Form::OnTerminal {
                begun: Instant::now(),
                bar: OnceLock::new(),
            })
        })
    }

    /// Lines of JSON on standard error, at most ten a second.
    pub fn lines() -> Self {
        Self::new(Form::Lines(Lines::new()))
    }

    /// Removes the bar from the terminal, or writes the last line.
    pub fn clear(&self) {
        match &self.form {
            Form::OnTerminal { bar, .. } => {
                if let Some(bar) = bar.get() {
                    bar.finish_and_clear();
                }
            }
            Form::Lines(lines) => {
                let (done, total) = self.bytes();
                lines.end(done, total, self.files.as_ref().map(Files::told));
            }
        }
    }

    /// Bytes that are done, and all.
    fn bytes(&self) -> (u64, u64) {
        (
            self.done.load(Ordering::Relaxed),
            self.total.load(Ordering::Relaxed),
        )
    }

    /// One of several files is done.
    fn file_done(&self) {
        let Some(files) = &self.files else { return };
        let done = files.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Form::OnTerminal { bar, .. } = &self.form
            && let Some(bar) = bar.get()
        {
            bar.set_message(format!("{done} of {} files", files.all));
        }
    }
}

impl Progress for Bar {
    fn start(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.advance(0);
    }

    fn advance(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
        let (done, total) = self.bytes();
        match &self.form {
            Form::OnTerminal { begun, bar } if begun.elapsed() >= PATIENCE => {
                let shows = if self.files.is_some() { OF_FILES } else { OF_BYTES };
                let bar = bar.get_or_init(|| {
                    let bar = ProgressBar::new(total);
                    let style = ProgressStyle::with_template(shows);
                    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
                });
                bar.set_position(done);
            }
            Form::OnTerminal { .. } => {}
            Form::Lines(lines) => lines.tell(done, total, self.files.as_ref().map(Files::told)),
        }
    }
}

/// The progress of several copies: files, and bytes of the inputs.
#[derive(Debug)]
pub struct FilesBar(Bar);

impl FilesBar {
    /// Shows by `bar` the progress of a number of inputs that have `bytes` in all.
    pub fn new(bar: Bar, files: u64, bytes: u64) -> Arc<Self> {
        let done = AtomicU64::new(0);
        let bar = Bar {
            files: Some(Files { done, all: files }),
            ..bar
        };
        bar.start(bytes);
        Arc::new(Self(bar))
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

    /// Removes the bar from the terminal, or writes the last line.
    pub fn clear(&self) {
        self.0.clear();
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
        self.bar.0.advance(done.saturating_sub(told));
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
        self.bar.0.file_done();
    }
}
