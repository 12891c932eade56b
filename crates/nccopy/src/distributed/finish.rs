//! `--finish`: whether the output of a job can appear.

use std::path::Path;
use std::sync::Arc;

use ncutils_core::distributed::{JobFile, JobState, PartList, over};
use ncutils_core::error::Error;
use ncutils_core::location::JobPhase;

use super::MISSING;
use super::job_arguments::JobArguments;
use crate::modes::distributed::notes_of;
use crate::step::{Finishing, Step};

/// The exit status of a job that cannot be finished now, or was before. `None` if all parts are done.
///
/// # Errors
/// A job that was abandoned.
pub fn is_ready(arguments: &JobArguments<'_>, file: &Path) -> anyhow::Result<Option<u8>> {
    let job = arguments.job;
    let stage = match arguments.phase()? {
        JobPhase::Open(stage) => stage,
        // A process was killed right behind its last step.
        JobPhase::Published => {
            end(arguments, file)?;
            arguments
                .messages
                .note(format_args!("{}: finished already", file.display()));
            return Ok(Some(0));
        }
        JobPhase::Over => return Err(over().in_file(file).into()),
    };
    // Marks are looked for by name: on a network file system, a list of names may be a minute old.
    let all: Vec<u64> = (0..job.parts.len() as u64).collect();
    let done = notes_of(job, &stage).done(&all)?;
    if done.len() == all.len() {
        return Ok(None);
    }
    let missing = PartList::of(all.iter().copied().filter(|part| !done.contains(part)));
    arguments.messages.tell(format_args!(
        "{}: not finished, {} of {} parts are missing: {missing}",
        file.display(),
        missing.len(),
        all.len()
    ));
    Ok(Some(MISSING))
}

/// Lets the output appear. Returns the exit status.
///
/// # Errors
/// What fails. The job can go on then.
pub fn finish(arguments: &JobArguments<'_>, job: &Arc<JobFile>, file: &Path) -> anyhow::Result<u8> {
    let finishing = Finishing { job: Arc::clone(job) };
    let status = arguments.copy(Step::Finish(finishing))?;
    if status == 0 {
        end(arguments, file)?;
    }
    Ok(status)
}

/// Notes in the file of the job that it is finished, and removes what it has left.
///
/// # Errors
/// The file cannot be written; the store fails.
fn end(arguments: &JobArguments<'_>, file: &Path) -> anyhow::Result<()> {
    let job = arguments.job;
    if job.state != JobState::Finished {
        arguments
            .note(JobState::Finished, file)
            .map_err(|e| Error::io("the output is in place, but this cannot be written", e).in_file(file))?;
    }
    Ok(arguments.output()?.remove_job(&job.place)?)
}
