//! `--finish`: whether the output of a job can appear.

use std::path::Path;

use ncutils_core::distributed::{JobFile, JobState, PartList};
use ncutils_core::error::Error;
use ncutils_core::location::Location;

use super::MISSING;
use super::job_arguments::JobArguments;
use crate::locations;
use crate::modes::distributed::write;

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
        JobState::Finished => return Ok(done()),
        JobState::Abandoned => {
            return Err(Error::Usage("the job was abandoned".to_owned())
                .in_file(file)
                .into());
        }
        JobState::Open => {}
    }
    let planned = arguments.planned()?;
    let (_stage, notes) = match arguments.join(&planned) {
        Ok(joined) => joined,
        Err(error) => {
            let output = locations::output(&planned, Location::parse_output(&job.output)?)?;
            // A run that was killed right behind its last step has not noted it.
            return match output.input() {
                Ok(_) => {
                    note(job, file)?;
                    Ok(done())
                }
                Err(_) => Err(error),
            };
        }
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

/// Notes in the file of the job that it is finished.
///
/// # Errors
/// The file cannot be written.
pub fn note(job: &JobFile, file: &Path) -> anyhow::Result<()> {
    let finished = JobFile {
        state: JobState::Finished,
        ..job.clone()
    };
    write(&finished, file)
        .map_err(|e| Error::io("the output is in place, but this cannot be written", e).in_file(file))?;
    Ok(())
}
