//! The report of a copy: the route, bytes and time of each variable, and totals.
//!
//! ```text
//! run: Meters, three counters for each variable ─► Report ─► nccopy --summary
//! ```

use std::time::{Duration, Instant};

use super::routes::Routes;
use crate::copy::plan::Prepared;
use crate::copy::readers::Readers;
use crate::copy::run::{Meters, Passed, RunOptions, Totals, run_jobs};
use crate::error::Result;
use crate::format::Writer;
use crate::model::VarId;

/// Copies the data of all variables from the readers to `writer`, and finishes the writer. `prepared` must come
/// from [`prepare`](crate::copy::prepare) with the same readers, and `writer` must be created with its plans.
///
/// # Errors
/// The error of the first failed job, in sequence order. It names the variable and chunk. The writer is
/// then dropped unfinished.
pub fn run<'p, 'r>(
    readers: impl Into<Readers<'r>>,
    prepared: &'p Prepared,
    writer: Box<dyn Writer>,
    options: &RunOptions,
) -> Result<Report<'p>> {
    let begun = Instant::now();
    let readers = readers.into();
    let Totals { meters, peak } = run_jobs(readers, prepared, &*writer, options)?;
    finish(readers, writer, options)?;
    Ok(Report::new(prepared, meters, begun, peak))
}

/// Finishes the writer, if the input is still as it was.
pub(super) fn finish(readers: Readers, writer: Box<dyn Writer>, options: &RunOptions) -> Result<()> {
    if !options.input_may_change {
        readers.main().check_unchanged()?;
    }
    writer.finish().map_err(|e| match options.output {
        Some(path) => e.in_file(path),
        None => e,
    })
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
    /// The report of a copy that has just ended.
    pub(super) fn new(prepared: &'p Prepared, meters: Meters, begun: Instant, peak: u64) -> Self {
        Self {
            prepared,
            meters,
            elapsed: begun.elapsed(),
            peak,
        }
    }

    /// The time from the first job until the output was complete.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Most bytes of memory that jobs held at one time, by the engine's account.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// The encoded chunks that passed from the input to the output, and what was tested of them.
    pub fn passed(&self) -> Passed {
        self.meters.passed()
    }

    /// A report for each variable of the output, in the order of its schema.
    pub fn variables(&self) -> Vec<VariableReport<'p>> {
        let mut all: Vec<(VarId, VariableReport)> = Vec::new();
        for of in self.prepared.routes() {
            if let Some((_, report)) = all.last_mut().filter(|(id, _)| *id == of.out) {
                report.routes.add(of.route, of.chunks);
                report.decoded = report.decoded.saturating_add(of.decoded);
                continue;
            }
            let counts = self.meters.counts(of.out);
            let report = VariableReport {
                name: of.name,
                routes: Routes::of(of.route, of.chunks),
                decoded: of.decoded,
                read: counts.read,
                written: counts.written,
                work: counts.work,
            };
            all.push((of.out, report));
        }
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
    /// The routes of its chunks.
    pub routes: Routes,
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
