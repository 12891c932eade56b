//! `--resume`: a copy by one process, which goes on where it was stopped.
//!
//! ```text
//! no job beside the output ─► plan ─┐
//! the job of the same copy ─────────┴─► the parts that are left ─► finish ─► the file of the job goes
//! ```

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use anyhow::Context;
use clap::ArgMatches;
use ncutils_cli::arguments;
use ncutils_cli::messages::Messages;
use ncutils_cli::options::NCCOPY;
use ncutils_core::distributed::{JobFile, JobState, PartList};
use ncutils_core::error::Error;
use ncutils_core::location::{JobPhase, Location, remote_url};

use super::job_arguments::JobArguments;
use super::{finish, part, read_job};
use crate::arguments::Arguments;
use crate::copy;
use crate::job_step::{Making, Planning, Step};

/// Makes a copy, or what is left of it. Returns the exit status.
///
/// # Errors
/// What fails; a job beside the output that is of another copy.
pub fn resume(matches: &ArgMatches) -> anyhow::Result<u8> {
    let mut arguments = Arguments::of(matches)?;
    let messages = Messages::of(&NCCOPY, matches);
    let file = file_of(&arguments)?;
    let begun = match begun(&file, matches)? {
        Begun::Done => return Ok(0),
        Begun::Open => true,
        Begun::Nothing => false,
    };
    if !begun {
        arguments.step = Some(Step::Plan(Planning {
            file: file.clone(),
            parts: None,
        }));
        let status = copy::copy(&arguments)?;
        if status != 0 {
            return Ok(status);
        }
    }
    let job = Arc::new(read_job::read(&file)?);
    let of_job = JobArguments {
        job: &job,
        own: matches,
        messages,
    };
    let all = Making {
        job: Arc::clone(&job),
        parts: PartList::of(0..job.parts.len() as u64),
        again: false,
        tells: false,
        changed: Arc::default(),
    };
    if let Some(left) = part::left(&all, &of_job)? {
        if begun {
            let (done, all) = (all.parts.len() - left.parts.len(), all.parts.len());
            messages.note(format_args!("goes on: {done} of {all} parts are done"));
        }
        let status = of_job.copy(Step::Part(left))?;
        if status != 0 {
            return Ok(status);
        }
    }
    let status = finish::finish(&of_job, &job, &file)?;
    if status == 0 {
        fs::remove_file(&file).with_context(|| format!("{}: cannot be removed", file.display()))?;
    }
    Ok(status)
}

/// What an earlier call has left.
enum Begun {
    /// Nothing that counts.
    Nothing,
    /// A copy that goes on.
    Open,
    /// The output, which has its name. What was left beside it is removed.
    Done,
}

/// Looks for what an earlier call has left, and removes what leads nowhere.
///
/// # Errors
/// A job of another copy; the store fails.
fn begun(file: &Path, matches: &ArgMatches) -> anyhow::Result<Begun> {
    if !file.exists() {
        return Ok(Begun::Nothing);
    }
    let job = read_job::read(file)?;
    if job.state == JobState::Open {
        check_same(&job).map_err(|error| error.in_file(file))?;
        read_job::check_version(&job, file)?;
    }
    let of_job = JobArguments {
        job: &job,
        own: matches,
        messages: Messages::of(&NCCOPY, matches),
    };
    let left = match of_job.phase()? {
        JobPhase::Open(_) => return Ok(Begun::Open),
        JobPhase::Published => Begun::Done,
        JobPhase::Over => Begun::Nothing,
    };
    let output = of_job.output()?;
    output.remove_job(&job.place)?;
    fs::remove_file(file).with_context(|| format!("{}: cannot be removed", file.display()))?;
    if let Begun::Done = left {
        of_job.messages.note(format_args!("{output}: finished already"));
    }
    Ok(left)
}

/// The file of the job: hidden, beside a local output, or in the current folder.
fn file_of(arguments: &Arguments) -> anyhow::Result<PathBuf> {
    let output = arguments
        .files
        .operands
        .last()
        .context("name an input and an output")?;
    let output = Location::parse_output(output)?;
    let mut name = OsString::from(".");
    name.push(output.file_name().context("the output has no name")?);
    name.push(".ncutils-resume");
    let folder = output.path().and_then(Path::parent).unwrap_or(Path::new(""));
    Ok(absolute(folder.join(name))?)
}

/// Checks that a job is of the copy that this call asks for.
fn check_same(job: &JobFile) -> Result<(), Error> {
    let own: Vec<OsString> = arguments::given().skip(1).collect();
    let is_here = env::current_dir().is_ok_and(|folder| folder == job.directory);
    match job.arguments == own && is_here {
        true => Ok(()),
        false => {
            // The other call's names may hold secrets.
            let hidden = |text: &OsString| {
                let text = text.to_string_lossy();
                remote_url::hidden(&text, &text)
            };
            let shown: Vec<String> = job.arguments.iter().map(hidden).collect();
            Err(Error::Usage(format!(
                "another copy to this output was stopped: 'nccopy {}' in {}; repeat that, or give it up by nccopy --abandon and the name of this file",
                shown.join(" "),
                job.directory.display()
            )))
        }
    }
}
