//! `--part`: which parts are left to be made.

use ncutils_core::distributed::{PartList, over};
use ncutils_core::error::{Error, Result};
use ncutils_core::location::JobPhase;

use super::job_arguments::JobArguments;
use crate::job_step::Making;
use crate::modes::job_steps::notes_of;

/// Checks that the job has the parts.
///
/// # Errors
/// A number that no part has.
pub fn check(making: &Making) -> Result<()> {
    let parts = making.job.parts.len() as u64;
    match making.parts.last().filter(|last| *last >= parts) {
        None => Ok(()),
        Some(last) => Err(Error::Usage(format!(
            "--part {last}: the job has {parts} parts, numbered from 0 to {}",
            parts - 1
        ))),
    }
}

/// The parts that are not done yet; `None` if all are.
///
/// # Errors
/// The job is over.
pub fn left(making: &Making, arguments: &JobArguments<'_>) -> anyhow::Result<Option<Making>> {
    if making.again {
        return Ok(Some(making.clone()));
    }
    let JobPhase::Open(stage) = arguments.phase()? else {
        return Err(over().in_file(&making.job.output).into());
    };
    let notes = notes_of(&making.job, &stage);
    let asked: Vec<u64> = making.parts.numbers().collect();
    let done = notes.done(&asked)?;
    let left: Vec<u64> = asked.into_iter().filter(|part| !done.contains(part)).collect();
    if left.is_empty() {
        arguments
            .messages
            .note(format_args!("part {}: done already", making.parts));
        return Ok(None);
    }
    Ok(Some(Making {
        parts: PartList::of(left),
        ..making.clone()
    }))
}
