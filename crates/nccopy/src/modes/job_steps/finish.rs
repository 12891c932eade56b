//! `--finish`: the output of a job appears.

use std::path::Path;
use std::sync::Arc;

use ncutils_core::distributed::{Notes, Packs};
use ncutils_core::error::Error;
use ncutils_core::format::Writer;
use ncutils_core::format::classic::ClassicWriter;
use ncutils_core::location::JobTarget;
use ncutils_core::store::{CompletedFile, Input, KeyOutput, Output, ReadBack, StagedKeys, StagedOutput};

use super::part::check_plan;
use super::take_part::join;
use crate::arguments::Arguments;
use crate::job_step::Finishing;
use crate::modes::planned::{Planned, create_held};

/// Lets the output appear.
///
/// # Errors
/// A pack that is damaged; what writing and comparing find wrong. The output does not appear then, and the job can go on.
pub fn finish(finishing: &Finishing, planned: Planned<'_>, arguments: &Arguments) -> anyhow::Result<()> {
    let job = &*finishing.job;
    let parts = job.parts.len() as u64;
    check_plan(&planned, &job.plan, parts)?;
    let engine = planned.engine;
    let (stage, notes) = join(job, engine.output, &engine.create_options())?;
    ncutils_cli::signals::handle("nccopy");
    let named = |error: Error| error.in_file(engine.output.name());
    match &stage.target {
        JobTarget::Keys(keys) => Ok(publish(keys, &notes, parts, &planned).map_err(named)?),
        JobTarget::File(file) => Ok(complete(file, &notes, parts, &planned).map_err(named)?),
        JobTarget::Packs => unpack(&notes, parts, &planned, arguments),
    }
}

/// Makes the output of packs, and lets it appear.
fn unpack(notes: &Notes, parts: u64, planned: &Planned<'_>, arguments: &Arguments) -> anyhow::Result<()> {
    let engine = planned.engine;
    let (writer, held) = create_held(planned, arguments)?;
    let mut packs = Packs::new(notes, parts, planned.plan.schema.vars.len())?;
    let report = engine.complete(planned.copied, &planned.prepared, writer, &mut packs)?;
    planned.verify(|| held.input(engine.output))?;
    // The job may have been abandoned since, and a newer dataset be there.
    notes.check()?;
    held.release()?;
    engine.summarized(&report, None)
}

/// Completes a file that the parts have written at its places, and lets it appear.
fn complete(file: &Path, notes: &Notes, parts: u64, planned: &Planned<'_>) -> Result<(), Error> {
    let output = planned.engine.output;
    let cannot = |e| Error::io("cannot write", e);
    let (schema, plans) = (&planned.plan.schema, &planned.prepared.plans);
    let target = output.path().unwrap_or(file);
    let whole: Arc<dyn Output> = Arc::new(CompletedFile::open(file, target).map_err(cannot)?);
    let held = Arc::new(StagedOutput::new(whole));
    let writer = ClassicWriter::complete(held.clone(), schema, plans)?;
    let size = ClassicWriter::size(schema)?;
    Packs::new(notes, parts, schema.vars.len())?.complete_classic(&*held, size, &writer)?;
    Box::new(writer).finish()?;
    planned.verify(|| Ok(Input::object(output.name(), held.clone())))?;
    // The job may have been abandoned since, and a newer dataset be there.
    notes.check()?;
    held.release().map_err(cannot)
}

/// Checks that every key is there that the parts have written.
fn check_keys(keys: &Arc<dyn KeyOutput>, notes: &Notes, parts: u64) -> Result<(), Error> {
    let written = notes.keys(parts)?;
    let found = keys
        .staged_keys("")
        .map_err(|e| Error::io("cannot list what was written", e))?;
    // Metadata of an earlier attempt to finish may be there, too.
    match (found.len() as u64) < written {
        false => Ok(()),
        true => Err(Error::Damaged(format!(
            "{} of {written} values are missing that the parts have written; make the parts again by --again",
            written - found.len() as u64
        ))),
    }
}

/// Writes the metadata of a dataset whose keys are there, and lets it appear.
fn publish(keys: &Arc<dyn KeyOutput>, notes: &Notes, parts: u64, planned: &Planned<'_>) -> Result<(), Error> {
    check_keys(keys, notes, parts)?;
    let output = planned.engine.output;
    let staged = Arc::new(StagedKeys::new(keys.clone()));
    output.complete_in(staged.clone(), &planned.plan.schema, &planned.prepared.plans)?;
    planned.verify(|| {
        let written = staged.written();
        let written = written.map_err(|e| Error::io("cannot read what was written", e))?;
        Ok(Input::keys(output.name(), written))
    })?;
    staged.release().map_err(|e| Error::io("cannot write", e))
}
