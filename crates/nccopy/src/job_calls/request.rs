//! [`JobRequest`]: a call that names the file of a job.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ArgMatches;
use ncutils_cli::messages::Messages;
use ncutils_cli::options::{Given, NCCOPY};
use ncutils_core::distributed::PartList;
use ncutils_core::error::{Error, Result};

use super::job_arguments::JobArguments;
use super::read_job::{check_version, read};
use super::{abandon, finish, part, status};
use crate::job_step::{Making, Step};

/// Options that go with each request.
const ALWAYS: [&str; 9] = [
    "memory",
    "threads",
    "requests",
    "timeout",
    "quiet",
    "verbose",
    "with-parent",
    "explain",
    "json",
];

/// What is asked of a job.
#[derive(Debug, Clone)]
enum Asked {
    Part { parts: PartList, again: bool },
    Status { missing: bool },
    Finish,
    Abandon,
}

/// A call that names the file of a job.
#[derive(Debug, Clone)]
pub struct JobRequest<'m> {
    asked: Asked,
    file: PathBuf,
    matches: &'m ArgMatches,
}

impl<'m> JobRequest<'m> {
    /// The request of a call; `None` for a copy.
    ///
    /// # Errors
    /// Options that belong to the plan; a list of parts that is none; the name of the file is missing.
    pub fn of(matches: &'m ArgMatches) -> Result<Option<Self>> {
        let list: Option<&String> = matches.get_one("part");
        let (asked, option, allowed): (_, _, &[&str]) = if let Some(list) = list {
            let parts = PartList::parse(list).map_err(|error| Error::Usage(format!("--part {error}")))?;
            let again = matches.get_flag("again");
            (
                Asked::Part { parts, again },
                "--part",
                &["part", "again", "summary", "progress"],
            )
        } else if matches.get_flag("status") {
            let missing = matches.get_flag("missing");
            (Asked::Status { missing }, "--status", &["status", "missing"])
        } else if matches.get_flag("finish") {
            (Asked::Finish, "--finish", &["finish", "verify", "summary"])
        } else if matches.get_flag("abandon") {
            (Asked::Abandon, "--abandon", &["abandon"])
        } else {
            return Ok(None);
        };
        let given: Given = NCCOPY.given(matches);
        let allowed: Vec<&str> = allowed.iter().chain(&ALWAYS).copied().collect();
        given.refuse_others(
            &allowed,
            &format!("{option} takes the options of the copy from the job"),
        )?;
        let names: Vec<&OsString> = matches.get_many("paths").into_iter().flatten().collect();
        let [file] = names[..] else {
            return Err(Error::Usage(format!(
                "{option}: name the file of one job, which --plan has written"
            )));
        };
        Ok(Some(Self {
            asked,
            file: file.into(),
            matches,
        }))
    }

    /// Does what is asked for. Returns the exit status.
    ///
    /// # Errors
    /// What fails.
    pub fn run(&self) -> anyhow::Result<u8> {
        let file = self.file.canonicalize().unwrap_or_else(|_| self.file.clone());
        let messages = Messages::of(&NCCOPY, self.matches);
        let _held = matches!(self.asked, Asked::Finish).then(|| finish::hold(&file, messages));
        let job = Arc::new(read(&file)?);
        if let Asked::Part { .. } | Asked::Finish = self.asked {
            check_version(&job, &file)?;
        }
        if let (Asked::Finish, true) = (&self.asked, job.is_of_files())
            && self.matches.get_flag("verify")
        {
            return Err(Error::Usage(
                "--verify: the parts of this job are whole files, and compare each before it appears, if --plan had --verify"
                    .to_owned(),
            )
            .into());
        }
        let arguments = JobArguments {
            job: &job,
            own: self.matches,
            messages,
        };
        match &self.asked {
            Asked::Part { parts, again } => {
                let making = Making {
                    job: Arc::clone(&job),
                    parts: parts.clone(),
                    again: *again,
                    tells: true,
                    changed: Arc::default(),
                };
                part::check(&making)?;
                match part::left(&making, &arguments)? {
                    None => Ok(0),
                    Some(making) => arguments.copy(Step::Part(making)),
                }
            }
            Asked::Status { missing } => status::tell(&arguments, *missing, self.matches.get_flag("json")),
            Asked::Finish => match finish::is_ready(&arguments, &file)? {
                Some(status) => Ok(status),
                None => finish::finish(&arguments, &job, &file),
            },
            Asked::Abandon => abandon::abandon(&arguments, &file),
        }
    }
}
