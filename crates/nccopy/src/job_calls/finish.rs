//! `--finish`: whether the output of a job can appear.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ncutils_cli::messages::Messages;
use ncutils_core::distributed::{JobFile, JobState, PartList, over};
use ncutils_core::error::Error;
use ncutils_core::location::JobPhase;
use ncutils_core::store::{LATEST_LISTING, lists_late};

use super::MISSING;
use super::job_arguments::JobArguments;
use crate::job_step::{Finishing, Step};
use crate::modes::job_steps::notes_of;

/// How often marks that a network file system may not tell yet are asked for.
const AGAIN: Duration = Duration::from_secs(5);

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
    // Marks are looked for by name: a list of names may be older.
    let all: Vec<u64> = (0..job.parts.len() as u64).collect();
    let notes = notes_of(job, &stage);
    let mut done = notes.done(&all)?;
    if done.len() < all.len() && is_late(arguments)? {
        arguments
            .messages
            .note("parts seem to be missing; the network file system may tell of them within a minute");
        let begun = Instant::now();
        while done.len() < all.len() && begun.elapsed() < LATEST_LISTING {
            thread::sleep(AGAIN);
            done = notes.done(&all)?;
        }
    }
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

/// True if marks of other machines may be there and not be seen yet.
fn is_late(arguments: &JobArguments<'_>) -> anyhow::Result<bool> {
    let output = arguments.output()?;
    let folder = output.path().and_then(Path::parent);
    let folder = folder.map(|folder| match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    });
    Ok(folder.is_some_and(lists_late))
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

/// Keeps other processes of this machine, and of others where the file system can do that, from finishing the job until the value is
/// dropped, and waits for one that does. Two would write each other's metadata anew.
pub fn hold(file: &Path, messages: Messages) -> Option<File> {
    let opened = OpenOptions::new().read(true).write(true).open(file).ok()?;
    if let Err(TryLockError::WouldBlock) = opened.try_lock() {
        messages.note(format_args!(
            "{}: waiting for another process that finishes it",
            file.display()
        ));
        opened.lock().ok()?;
    }
    Some(opened)
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
