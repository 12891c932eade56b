//! Counters of a run: bytes and time of each variable.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::copy::plan::Prepared;
use crate::copy::task::Route;
use crate::filter::Tested;
use crate::format::Writer;
use crate::model::VarId;

/// Counters for each variable of the output, and of all encoded chunks that passed.
#[derive(Debug, Default)]
pub struct Meters {
    variables: Vec<Meter>,
    /// By [`Tested`].
    passed: [AtomicU64; 4],
}

/// Encoded chunks that passed from the input to the output, by what was tested of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Passed([u64; 4]);

impl Passed {
    /// Counts a chunk.
    pub(super) fn add(&mut self, tested: Tested) {
        self.0[tested as usize] += 1;
    }

    /// Number of chunks of which so much was tested.
    pub fn tested(self, tested: Tested) -> u64 {
        self.0[tested as usize]
    }
}

/// Counters of one variable.
#[derive(Debug, Default)]
struct Meter {
    read: AtomicU64,
    written: AtomicU64,
    nanoseconds: AtomicU64,
}

/// What was counted of one variable.
#[derive(Debug, Default)]
pub struct Counts {
    /// Bytes that were read, as stored.
    pub read: u64,
    /// Bytes that were written, as stored.
    pub written: u64,
    /// Total time that threads worked.
    pub work: Duration,
}

impl Meters {
    /// Counters for `count` variables, at zero.
    pub fn new(count: usize) -> Self {
        Self {
            variables: (0..count).map(|_| Meter::default()).collect(),
            passed: Default::default(),
        }
    }

    fn of(&self, var: VarId) -> Option<&Meter> {
        self.variables.get(var.0)
    }

    /// What was counted of a variable so far.
    pub fn counts(&self, var: VarId) -> Counts {
        self.of(var).map_or_else(Counts::default, |meter| Counts {
            read: meter.read.load(Ordering::Relaxed),
            written: meter.written.load(Ordering::Relaxed),
            work: Duration::from_nanos(meter.nanoseconds.load(Ordering::Relaxed)),
        })
    }

    /// The encoded chunks that passed so far.
    pub fn passed(&self) -> Passed {
        Passed(self.passed.each_ref().map(|count| count.load(Ordering::Relaxed)))
    }

    /// Counts the encoded chunks that a job passed.
    pub fn pass(&self, passed: Passed) {
        for (sum, more) in self.passed.iter().zip(passed.0) {
            if more > 0 {
                sum.fetch_add(more, Ordering::Relaxed);
            }
        }
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
