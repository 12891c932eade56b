//! Completes a dataset whose chunks other processes have made.
//!
//! ```text
//! Packed ── pieces of many variables ─┐ in the order of sequence numbers
//! run_some ── what the writer encodes ┴─► Writer ─► finish
//! ```

use std::time::Instant;

use super::run_report::{Report, finish};
use crate::copy::plan::Prepared;
use crate::copy::readers::Readers;
use crate::copy::run::{Meters, RunOptions, run_some};
use crate::error::Result;
use crate::format::Writer;
use crate::model::VarId;

/// Counts bytes of a variable that were written.
pub type CountWritten<'a> = &'a (dyn Fn(VarId, u64) + Sync);

/// The pieces of a dataset that other processes have made, of all variables but those that the writer encodes.
pub trait Packed {
    /// Writes the next `count` pieces that have a sequence number. The first has the number `sequence`, and the others follow.
    ///
    /// # Errors
    /// A piece that is missing or damaged; what the writer fails with.
    fn write_next(
        &mut self,
        count: u64,
        sequence: u64,
        writer: &dyn Writer,
        written: CountWritten<'_>,
    ) -> Result<()>;

    /// Writes the pieces without a sequence number.
    ///
    /// # Errors
    /// Those of [`write_next`](Self::write_next).
    fn write_ranges(&mut self, writer: &dyn Writer, written: CountWritten<'_>) -> Result<()>;
}

/// Writes what is packed, copies the variables that the writer encodes from the readers, and finishes the writer. The output is that
/// of [`run`](super::run) with the same arguments.
///
/// # Errors
/// Those of [`run`](super::run) and of what is packed.
pub fn complete<'p, 'r>(
    readers: impl Into<Readers<'r>>,
    prepared: &'p Prepared,
    writer: Box<dyn Writer>,
    options: &RunOptions,
    packed: &mut dyn Packed,
) -> Result<Report<'p>> {
    let begun = Instant::now();
    let readers = readers.into();
    let meters = Meters::new(prepared.plans.len());
    let written = |var, bytes| meters.written(var, bytes);
    let named = |error: crate::Error| match options.output {
        Some(path) => error.in_file(path),
        None => error,
    };
    packed.write_ranges(&*writer, &written).map_err(named)?;
    let mut peak = 0;
    let mut at = 0;
    while at < prepared.variables.len() {
        let encoded = prepared.is_encoded_by_writer(at);
        let same =
            (at..prepared.variables.len()).take_while(|n| prepared.is_encoded_by_writer(*n) == encoded);
        let end = at + same.count();
        let variables = &prepared.variables[at..end];
        if encoded {
            let held = run_some(readers, prepared, variables, &*writer, &meters, options)?;
            peak = peak.max(held);
        } else {
            let count = (at..end).map(|n| prepared.numbered(n)).sum();
            let sequence = variables[0].first_sequence;
            packed
                .write_next(count, sequence, &*writer, &written)
                .map_err(named)?;
        }
        at = end;
    }
    meters.ask(prepared, &*writer);
    finish(readers, writer, options)?;
    Ok(Report::new(prepared, meters, begun, peak))
}
