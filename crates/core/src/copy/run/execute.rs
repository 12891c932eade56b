//! Executes a job in a thread, by the route of its variable.

use std::time::Duration;

use super::context::Context;
use super::meters::Meters;
use super::worker::Worker;
use crate::copy::jobs::{Job, RecordJob};
use crate::copy::task::Route;
use crate::error::{Error, Result};

impl Worker {
    /// Executes a job.
    ///
    /// # Errors
    /// The errors of reading, decoding, encoding and writing. They name the variable, and the chunk if one is
    /// at fault.
    pub fn execute(&mut self, context: &Context, job: &Job) -> Result<()> {
        let done = match job {
            Job::Raw { var, chunks } | Job::Refilter { var, chunks } => match &var.route {
                Route::Raw(same) => self.same_chunks(context, var, same, true, chunks.clone()),
                Route::Refilter(same) => self.same_chunks(context, var, same, false, chunks.clone()),
                _ => Err(Error::Internal("chunks of a variable on another route".into())),
            },
            Job::Bytes { var, offset, length } => self.bytes(context, var, *offset, *length),
            Job::Blocks { var, tiling, blocks } => blocks.iter().try_fold(0, |n, block| {
                Ok(n + self.whole_block(context, var, tiling, block)?)
            }),
            Job::Fill {
                var,
                tiling,
                block,
                pieces,
                spill,
            } => self
                .fill_shared(context, var, tiling, block, pieces, spill)
                .map(|()| 0),
            Job::Empty {
                var,
                tiling,
                block,
                stripe,
            } => self.empty_shared(context, var, tiling, block, *stripe),
            Job::Values { var, tiling, blocks } => blocks
                .iter()
                .try_fold(0, |n, block| Ok(n + self.values(context, var, tiling, block)?)),
            Job::Records(part) => self.records(context, part),
        };
        let bytes = done.map_err(|e| e.in_variable(job.variable()))?;
        if let Some(progress) = context.progress
            && bytes > 0
        {
            progress.advance(bytes);
        }
        Ok(())
    }

    /// Adds the bytes that a job read, and its time, to its variable's counters. Records count for several
    /// variables.
    pub fn count(&self, meters: &Meters, job: &Job, time: Duration) {
        match job {
            Job::Records(part) => count_records(part, meters, time),
            _ => {
                meters.read(job.out(), self.read);
                meters.work(job.out(), time);
                meters.pass(self.passed);
            }
        }
    }
}

/// Adds what a job of records read to the counters of its variables, and shares the time among them.
fn count_records(job: &RecordJob, meters: &Meters, time: Duration) {
    let slabs = job.members().iter().map(|m| m.slab.length).sum::<u64>().max(1);
    for member in job.members() {
        let out = job.variables[member.variable].out;
        meters.read(out, member.slab.length * job.count());
        #[expect(clippy::cast_precision_loss, reason = "a share of time")]
        meters.work(out, time.mul_f64(member.slab.length as f64 / slabs as f64));
    }
}
