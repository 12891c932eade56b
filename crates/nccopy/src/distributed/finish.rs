//! `--finish`: whether the output of a job can appear.

use std::path::Path;
use std::sync::Arc;

use ncutils_core::distributed::{JobFile, JobState, Notes, PartList, over};
use ncutils_core::error::Error;
use ncutils_core::location::{CreateOptions, JobPhase, Location};

use super::MISSING;
use super::job_arguments::JobArguments;
use crate::locations;
use crate::modes::distributed::write;
use crate::step::{Finishing, Step};

/// The exit status of a job that cannot be finished now, or was before. `None` if all parts are done.
///
/// # Errors
/// A job that was abandoned.
pub fn is_ready(arguments: &JobArguments<'_>, file: &Path) -> anyhow::Result<Option<u8>> {
    let job = arguments.job;
    let done = || {
        arguments
            .messages
            .note(format_args!("{}: finished already", file.display()));
        Some(0)
    };
    match job.state {
        JobState::Finished => {
            // What a killed process has left goes.
            let planned = arguments.planned()?;
            let output = locations::output(&planned, Location::parse_output(&job.output)?)?;
            output.remove_job(&job.place)?;
            return Ok(done());
        }
        JobState::Abandoned => {
            return Err(Error::Usage("the job was abandoned".to_owned())
                .in_file(file)
                .into());
        }
        JobState::Open => {}
    }
    let planned = arguments.planned()?;
    let output = locations::output(&planned, Location::parse_output(&job.output)?)?;
    let notes = match output.join_job(&job.place, &CreateOptions::default())? {
        JobPhase::Open(stage) => Notes::new(stage.notes.clone(), &job.place.run, &job.plan),
        // A process was killed right behind its last step.
        JobPhase::Published => {
            end(job, file, &output)?;
            return Ok(done());
        }
        JobPhase::Over => return Err(over().in_file(file).into()),
    };
    let parts = job.parts.len() as u64;
    let states = notes.states(parts)?;
    let mut missing: Vec<u64> = (0..parts).filter(|part| !states.done.contains(part)).collect();
    // A list of names may be older than the marks, on a network file system by a minute.
    let late = notes.done(&missing)?;
    missing.retain(|part| !late.contains(part));
    if missing.is_empty() {
        return Ok(None);
    }
    let list = PartList::of(missing);
    arguments.messages.tell(format_args!(
        "{}: not finished, {} of {parts} parts are missing: {list}",
        file.display(),
        list.len()
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
        let planned = arguments.planned()?;
        let output = locations::output(&planned, Location::parse_output(&job.output)?)?;
        end(job, file, &output)?;
    }
    Ok(status)
}

/// Notes in the file of the job that it is finished, and removes what it has left.
///
/// # Errors
/// The file cannot be written; the store fails.
fn end(job: &JobFile, file: &Path, output: &Location) -> anyhow::Result<()> {
    let finished = JobFile {
        state: JobState::Finished,
        ..job.clone()
    };
    write(&finished, file, false)
        .map_err(|e| Error::io("the output is in place, but this cannot be written", e).in_file(file))?;
    Ok(output.remove_job(&job.place)?)
}
