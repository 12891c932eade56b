//! `--part`: the share of one process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ncutils_core::distributed::{PackWriter, PartKeys, PlacedWriter, plan_digest};
use ncutils_core::error::{Error, Result};
use ncutils_core::format::Writer;
use ncutils_core::location::JobTarget;

use super::keeper::Keeper;
use super::take_part::join;
use crate::arguments::Arguments;
use crate::job_step::Making;
use crate::modes::planned::Planned;

/// Checks that a copy is planned as it was when the job was.
///
/// # Errors
/// It is planned otherwise.
pub fn check_plan(planned: &Planned<'_>, plan: &str, parts: u64) -> Result<()> {
    match plan_digest(&planned.plan, &planned.prepared, parts) == plan {
        true => Ok(()),
        false => Err(Error::Usage(
            "the copy is planned otherwise here than where the job was planned; are its plugins and its environment the same?"
                .to_owned(),
        )),
    }
}

/// Makes parts of a planned copy.
///
/// # Errors
/// What fails. The part is not marked as done then.
pub fn make(making: &Making, planned: Planned<'_>, arguments: &Arguments) -> anyhow::Result<()> {
    let job = &*making.job;
    let of = job.parts.len() as u64;
    check_plan(&planned, &job.plan, of)?;
    let engine = planned.engine;
    let (stage, notes) = join(job, engine.output, &engine.create_options())?;
    ncutils_cli::signals::handle("nccopy");
    let mut prepared = planned.prepared;
    if let JobTarget::Packs = stage.target {
        prepared.leave_encoded();
    }
    for part in making.parts.numbers() {
        notes.check()?;
        let share = prepared.clone().into_share(part, of)?;
        let of_part = Arc::new(notes.of_part(part));
        of_part.begin()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let keeper = Keeper::new(notes.clone(), (*of_part).clone(), Arc::clone(&is_over));
        let schema = &planned.plan.schema;
        let writer: Box<dyn Writer> = match &stage.target {
            JobTarget::File(file) => Box::new(PlacedWriter::create(
                file,
                of_part,
                schema,
                &share.plans,
                is_over,
            )?),
            JobTarget::Keys(keys) => {
                let keys = Arc::new(PartKeys::new(keys.clone(), of_part, is_over));
                engine.output.create_in(keys, schema, &share.plans)?
            }
            JobTarget::Packs => Box::new(PackWriter::create(of_part, schema, &share.plans, is_over)?),
        };
        let done = engine.run(planned.copied, &share, writer);
        drop(keeper);
        let report = done.inspect_err(|error| notes.of_part(part).fail(&error.to_string()))?;
        engine.summarized(&report, None)?;
        if making.tells {
            arguments.messages.note(format_args!("part {part}: done"));
        }
    }
    Ok(())
}
