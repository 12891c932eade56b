//! The arguments of a copy that another process has planned.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::sync::Arc;

use clap::ArgMatches;
use clap::parser::ValueSource;
use ncutils_cli::messages::Messages;
use ncutils_cli::options::NCCOPY;
use ncutils_cli::values::memory;
use ncutils_core::distributed::{InputIdentity, JobFile, JobState};
use ncutils_core::error::{Error, Result};
use ncutils_core::location::{CreateOptions, JobPhase, Location};

use super::CHANGED;
use crate::arguments::Arguments;
use crate::job_step::Step;
use crate::modes::job_steps::write;
use crate::{copy, locations};

/// A job, and the call that does a step of it.
#[derive(Clone, Copy)]
pub struct JobArguments<'a> {
    pub job: &'a JobFile,
    /// The arguments of this call.
    pub own: &'a ArgMatches,
    pub messages: Messages,
}

impl JobArguments<'_> {
    /// The arguments of the planned copy, with memory, messages and reports of this call. This process goes into the folder of the
    /// call that planned it.
    ///
    /// # Errors
    /// The folder is not there; arguments that are none.
    pub fn planned(&self) -> Result<Arguments> {
        let folder = &self.job.directory;
        env::set_current_dir(folder)
            .map_err(|e| Error::io("cannot go to the folder of the job", e).in_file(folder))?;
        let name = OsString::from("nccopy");
        let all = [&name].into_iter().chain(&self.job.arguments);
        let planned = NCCOPY.command().try_get_matches_from(all);
        let planned =
            planned.map_err(|_| Error::Damaged("the arguments of the job are none of nccopy".to_owned()))?;
        let mut arguments = Arguments::of(&planned)?;
        let own = Arguments::reports_of(self.own);
        if let Some(memory) = memory::bytes(self.own, "memory", "-m")? {
            arguments.memory = Some(memory);
        }
        if self.own.value_source("requests") == Some(ValueSource::CommandLine) {
            arguments.remote.requests = own.remote.requests;
        }
        arguments.remote.timeout = own.remote.timeout.or(arguments.remote.timeout);
        arguments.remote.verbose |= own.remote.verbose;
        arguments.messages = self.messages;
        (arguments.summary, arguments.json) = (own.summary, own.json);
        arguments.verify |= own.verify;
        let names: Vec<OsString> = self.job.inputs.iter().map(|input| input.name.clone()).collect();
        if !self.job.is_of_files() {
            arguments.files = arguments.files.with_inputs(&names);
        }
        Ok(arguments)
    }

    /// Does a step with the planned copy. Returns the exit status.
    ///
    /// # Errors
    /// What fails.
    pub fn copy(&self, step: Step) -> anyhow::Result<u8> {
        let mut arguments = self.planned()?;
        let inputs: Vec<&InputIdentity> = match &step {
            Step::Part(making) if self.job.is_of_files() => {
                let parts = making.parts.numbers();
                parts.flat_map(|part| self.job.inputs_of(part)).collect()
            }
            Step::Finish(_) if self.job.is_of_files() => Vec::new(),
            step if step.looks_late().is_some() => Vec::new(),
            _ => self.job.inputs.iter().collect(),
        };
        if let Some(changed) = Self::changed(&inputs, &arguments)? {
            return Ok(self.refuse(changed));
        }
        let changed = step.looks_late().map(|making| Arc::clone(&making.changed));
        arguments.step = Some(step);
        let copied = copy::copy(&arguments);
        match changed.as_ref().and_then(|changed| changed.get()) {
            Some(changed) if copied.is_err() => Ok(self.refuse(changed)),
            _ => copied,
        }
    }

    /// Tells of an input that has changed. Returns the exit status.
    fn refuse(&self, changed: impl Display) -> u8 {
        self.messages.tell(format_args!(
            "{changed}: changed since the job was planned; plan it again"
        ));
        CHANGED
    }

    /// The first of some inputs that has changed since the job was planned.
    fn changed(inputs: &[&InputIdentity], arguments: &Arguments) -> anyhow::Result<Option<Location>> {
        let look = |input: &&InputIdentity| {
            let location = locations::input(arguments, &input.name)?;
            let is_same = input.is_same(&location)?;
            anyhow::Ok((!is_same).then_some(location))
        };
        let found = locations::look_at_all(inputs, |input| &input.name, look)?;
        Ok(found.into_iter().flatten().next())
    }

    /// The output of the job.
    ///
    /// # Errors
    /// Those of [`planned`](Self::planned); a name that means no location.
    pub fn output(&self) -> anyhow::Result<Location> {
        locations::output(&self.planned()?, Location::parse_output(&self.job.output)?)
    }

    /// What there is of the job.
    ///
    /// # Errors
    /// Those of [`output`](Self::output); the store fails.
    pub fn phase(&self) -> anyhow::Result<JobPhase> {
        Ok(match self.job.state {
            JobState::Open => self
                .output()?
                .join_job(&self.job.place, &CreateOptions::default())?,
            JobState::Finished => JobPhase::Published,
            JobState::Abandoned => JobPhase::Over,
        })
    }

    /// Notes in the file of the job what became of it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note(&self, state: JobState, file: &Path) -> io::Result<()> {
        let noted = JobFile {
            state,
            ..self.job.clone()
        };
        write(&noted, file, false)
    }
}
