//! The report of a copy: the route, bytes and time of each variable, and totals.
//!
//! ```text
//! Worker ─┬─► Meters: three counters for each variable ─► Report ─► nccopy --summary
//! Sink ───┘
//! ```

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::prepare::Prepared;
use super::route::Route;
use crate::format::Writer;
use crate::model::VarId;

/// The route of a variable through a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RouteName {
    /// Nothing is written: the variable reads as fill values.
    Nothing,
    /// Encoded chunks pass untouched.
    Raw,
    /// Chunks are decoded and encoded one by one.
    Refilter,
    /// Bytes of contiguous storage are moved.
    Ranges,
    /// Input pieces are scattered into blocks of output chunks.
    Blocks,
    /// Elements are converted.
    Values,
    /// Records of several variables are moved together.
    Records,
}

impl RouteName {
    /// The name in one lowercase word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Raw => "raw",
            Self::Refilter => "refilter",
            Self::Ranges => "ranges",
            Self::Blocks => "blocks",
            Self::Values => "values",
            Self::Records => "records",
        }
    }
}

impl fmt::Display for RouteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<&Route> for RouteName {
    fn from(route: &Route) -> Self {
        match route {
            Route::Raw(_) => Self::Raw,
            Route::Refilter(_) => Self::Refilter,
            Route::Ranges(_) => Self::Ranges,
            Route::Blocks(_) => Self::Blocks,
            Route::Values(_) => Self::Values,
            Route::Records(_) => Self::Records,
        }
    }
}

/// The report of a copy.
#[derive(Debug)]
pub struct Report<'p> {
    prepared: &'p Prepared,
    meters: Meters,
    elapsed: Duration,
    peak: u64,
}

impl<'p> Report<'p> {
    pub(super) fn new(prepared: &'p Prepared, meters: Meters, peak: u64) -> Self {
        Self {
            prepared,
            meters,
            elapsed: Duration::ZERO,
            peak,
        }
    }

    pub(super) fn with_elapsed(mut self, elapsed: Duration) -> Self {
        self.elapsed = elapsed;
        self
    }

    /// The time from the first job until the output was complete.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Most bytes of memory that jobs held at one time, by the engine's account.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// A report for each variable of the output, in the order of its schema.
    pub fn variables(&self) -> Vec<VariableReport<'p>> {
        let mut all: Vec<_> = self
            .prepared
            .routes()
            .map(|(id, name, route, decoded)| {
                let meter = self.meters.of(id);
                let report = VariableReport {
                    name,
                    route,
                    decoded,
                    read: meter.map_or(0, |m| m.read.load(Ordering::Relaxed)),
                    written: meter.map_or(0, |m| m.written.load(Ordering::Relaxed)),
                    work: Duration::from_nanos(meter.map_or(0, |m| m.nanoseconds.load(Ordering::Relaxed))),
                };
                (id.0, report)
            })
            .collect();
        all.sort_by_key(|(id, _)| *id);
        all.into_iter().map(|(_, report)| report).collect()
    }
}

/// The report of a copy for one variable of the output.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VariableReport<'p> {
    /// Path of the variable.
    pub name: &'p str,
    /// The route of the variable.
    pub route: RouteName,
    /// Decoded bytes of the chunks that were written. For a variable without chunks, bytes of its elements.
    pub decoded: u64,
    /// Bytes read, as stored in the input. A chunk that was read twice counts twice. The data of strings and
    /// sequences is not counted, only the elements that refer to it.
    pub read: u64,
    /// Bytes written, as stored in the output, counted in the same way.
    pub written: u64,
    /// Total time that threads worked on the variable.
    pub work: Duration,
}

impl VariableReport<'_> {
    /// Decoded bytes for each byte written; `None` if nothing was written.
    pub fn ratio(&self) -> Option<f64> {
        ratio(self.decoded, self.written)
    }
}

/// Decoded bytes for each byte written; `None` if nothing was written.
#[expect(clippy::cast_precision_loss, reason = "a ratio to be shown")]
pub fn ratio(decoded: u64, written: u64) -> Option<f64> {
    (written > 0).then(|| decoded as f64 / written as f64)
}

/// Counters for each variable of the output.
#[derive(Debug, Default)]
pub(super) struct Meters(Vec<Meter>);

/// Counters of one variable.
#[derive(Debug, Default)]
struct Meter {
    read: AtomicU64,
    written: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Meters {
    /// Counters for `count` variables, at zero.
    pub fn new(count: usize) -> Self {
        Self((0..count).map(|_| Meter::default()).collect())
    }

    fn of(&self, var: VarId) -> Option<&Meter> {
        self.0.get(var.0)
    }

    /// Counts `bytes` bytes that were read, as stored.
    pub fn read(&self, var: VarId, bytes: u64) {
        if let Some(meter) = self.of(var) {
            meter.read.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Counts `bytes` bytes that were written, as stored.
    pub fn written(&self, var: VarId, bytes: u64) {
        if let Some(meter) = self.of(var) {
            meter.written.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Adds the bytes of values that the writer encoded itself.
    pub fn ask(&self, prepared: &Prepared, writer: &dyn Writer) {
        for var in &prepared.variables {
            if matches!(var.route, Route::Values(_))
                && let Some(meter) = self.of(var.out)
                && let Some(bytes) = writer.stored_values(var.out)
            {
                meter.written.fetch_add(bytes, Ordering::Relaxed);
            }
        }
    }

    /// Counts the time that one thread worked.
    pub fn work(&self, var: VarId, time: Duration) {
        if let Some(meter) = self.of(var) {
            let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            meter.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }
}
