//! Runs the jobs of a call, each when its turn comes.

use std::ffi::OsString;

use ncutils_cli::progress::FilesBar;
use ncutils_core::copy::default_budget;
use ncutils_core::threads;

use super::groups;
use super::job::FileJob;
use super::jobs::jobs;
use super::told::Told;
use super::turns::{MOST_SLOW, SMALL, Turn, in_turns};
use crate::arguments::Arguments;
use crate::files::Form;

/// Most files that a job has open at once: input, output and its folder, a stage with its owner, a lock.
const OPEN_FILES: u64 = 6;

/// Copies several inputs. Returns the exit status: 1 if one failed, else 3 if something of a damaged input is lost, else 0.
///
/// # Errors
/// Names that are wrong before anything is read; a failure of standard output.
pub fn copy(form: &Form<'_>, arguments: &Arguments) -> anyhow::Result<u8> {
    if let Some(step) = &arguments.step {
        return groups::take(step, form, arguments, copy_all);
    }
    let (jobs, folder) = jobs(form, arguments)?;
    copy_all(jobs, &folder, arguments)
}

/// Runs jobs whose outputs are in `folder`. Returns the exit status.
fn copy_all(jobs: Vec<FileJob>, folder: &OsString, arguments: &Arguments) -> anyhow::Result<u8> {
    let told = Told::new(arguments);
    let at_once = at_once(&jobs);
    let share = Arguments {
        memory: Some(arguments.memory.unwrap_or_else(default_budget) / at_once as u64),
        ..arguments.clone()
    };
    let bar = arguments.messages.bar().map(|bar| {
        let bytes = jobs.iter().filter_map(|job| job.size(u64::MAX)).sum();
        FilesBar::new(bar, jobs.len() as u64, bytes)
    });
    let mut jobs = jobs.into_iter();
    in_turns(
        at_once,
        || {
            if told.is_heard() && arguments.goes_on.asked() {
                jobs.next()
            } else {
                None
            }
        },
        turn,
        |job, turn| {
            let arguments = if turn == Turn::Large { arguments } else { &share };
            match job.locations(folder, arguments) {
                Ok((input, output)) => {
                    let done = job.run((&input, &output), bar.as_ref(), arguments);
                    told.tell(&job, Some((&input, &output)), done);
                }
                Err(error) => told.tell(&job, None, Err(error)),
            }
        },
    );
    if let Some(bar) = bar {
        bar.clear();
    }
    told.end()
}

/// Number of jobs that run beside each other.
fn at_once(jobs: &[FileJob]) -> usize {
    let threads = threads::count().max(1);
    let wanted = match jobs.iter().any(|job| job.is_remote) {
        // Jobs that wait for a store cost little.
        true => threads.max(MOST_SLOW.min(jobs.len())),
        false => threads,
    };
    wanted.min(threads::jobs_with_files(OPEN_FILES))
}

/// What a job takes. The size of a remote input is not known before it is opened.
fn turn(job: &FileJob) -> Turn {
    match job.is_remote {
        true => Turn::Slow,
        false if job.size(SMALL).is_some_and(|size| size <= SMALL) => Turn::Small,
        false => Turn::Large,
    }
}
