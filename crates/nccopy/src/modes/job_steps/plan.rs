//! `--plan`: what every process of a job will do.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context;
use ncutils_cli::arguments;
use ncutils_core::distributed::{InputIdentity, JobFile, JobState, PartWork, PlannedPart, plan_digest};
use ncutils_core::error::Error;
use ncutils_core::location::{JobPlace, JobStage, Location, remote_url};
use ncutils_core::store::new_run;
use serde_json::Value;

use crate::arguments::Arguments;
use crate::job_step::Planning;
use crate::locations;
use crate::modes::planned::Planned;
use crate::print::plan_text;

/// Begins a job, and writes its file.
///
/// # Errors
/// A job that is there; an output that cannot be written. Nothing is left then.
pub fn plan(planning: &Planning, planned: &Planned<'_>, arguments: &Arguments) -> anyhow::Result<()> {
    let engine = &planned.engine;
    let output = engine.output;
    planning.check(output)?;
    ncutils_cli::signals::handle("nccopy");
    let description =
        planned
            .prepared
            .describe(planned.copied.readers(), &planned.plan, &engine.run_options());
    let described = plan_text::json(&description, &[], None);
    let whole = planned.prepared.shares(1).flatten();
    let bytes = whole.fold(0, |sum: u64, of| sum.saturating_add(of.decoded));
    let parts = planning.count(bytes);
    let digest = plan_digest(&planned.plan, &planned.prepared, parts);
    let parts = planned.prepared.shares(parts).map(|work| PlannedPart {
        bytes: work.iter().fold(0, |sum: u64, of| sum.saturating_add(of.decoded)),
        work: PartWork::Variables(
            work.iter()
                .map(|of| (of.name.to_owned(), of.pieces.start, of.pieces.end))
                .collect(),
        ),
    });
    let parts = parts.collect();
    let inputs = locations::look_at_all(
        arguments.files.inputs(),
        |name| name,
        |name| identity(name, arguments),
    )?;
    let (place, stage) = output.begin_job(
        &planned.plan.schema,
        &planned.prepared.plans,
        &engine.create_options(),
    )?;
    arguments.messages.warn_of_opening(output);
    let job = JobFile {
        plan: digest,
        described,
        joined: planned.copied.kept().cloned(),
        ..planned_job(inputs, place, parts, arguments)?
    };
    begin(&job, stage, output, &planning.file)?;
    announce(planning, &job, arguments);
    Ok(())
}

/// The state of an input now.
///
/// # Errors
/// An input that is not there, or can be read once only.
pub(crate) fn identity(name: &OsString, arguments: &Arguments) -> anyhow::Result<InputIdentity> {
    let location = locations::input(arguments, name)?;
    let found = location.path().and_then(|path| fs::metadata(path).ok());
    if found.is_some_and(|found| !found.is_file() && !found.is_dir()) {
        let why = "every process of a job reads the inputs, and this one can be read once; name a file";
        return Err(Error::Usage(why.to_owned()).in_file(location.name()).into());
    }
    Ok(InputIdentity::now(&location, name)?)
}

/// A job that this call plans, without the digest and the description of its plan.
///
/// # Errors
/// The current folder is gone.
pub(crate) fn planned_job(
    inputs: Vec<InputIdentity>,
    place: JobPlace,
    parts: Vec<PlannedPart>,
    arguments: &Arguments,
) -> anyhow::Result<JobFile> {
    Ok(JobFile {
        state: JobState::Open,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        directory: env::current_dir().context("cannot find the current folder")?,
        arguments: arguments::given().skip(1).collect(),
        inputs,
        joined: None,
        output: arguments.files.operands.last().cloned().unwrap_or_default(),
        place,
        plan: String::new(),
        described: Value::Null,
        parts,
    })
}

/// Writes the file of a job, and leaves its stage to all processes.
///
/// # Errors
/// The file cannot be written. Nothing is left of the stage then.
pub(crate) fn begin(job: &JobFile, mut stage: JobStage, output: &Location, file: &Path) -> Result<(), Error> {
    match write(job, file, true) {
        Ok(()) => {
            stage.keep();
            Ok(())
        }
        Err(error) => {
            drop(stage);
            let _ = output.remove_job(&job.place);
            Err(Error::io("cannot write", error).in_file(file))
        }
    }
}

/// Tells how to go on.
pub(crate) fn announce(planning: &Planning, job: &JobFile, arguments: &Arguments) {
    if planning.parts.is_none() {
        return;
    }
    let (file, parts) = (planning.file.display(), job.parts.len());
    let numbers = match parts {
        1 => "N is 0".to_owned(),
        _ => format!("N from 0 to {}", parts - 1),
    };
    let plural = if parts == 1 { "" } else { "s" };
    arguments.messages.note(format_args!(
        "{file}: {parts} part{plural}; 'nccopy --part N {file}' makes one, {numbers}"
    ));
}

/// Writes the file of a job whole or not at all. A file with secrets is for its owner alone. A new one takes the place of nothing.
pub(crate) fn write(job: &JobFile, file: &Path, is_new: bool) -> io::Result<()> {
    let has_secrets = |text: &OsString| {
        let text = text.to_string_lossy();
        remote_url::hidden(&text, &text) != text
    };
    let inputs = job.inputs.iter().map(|input| &input.name);
    let is_secret = job.arguments.iter().chain(inputs).any(has_secrets);
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}", new_run()));
    let beside = Path::new(&beside);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    let mut new = options.mode(if is_secret { 0o600 } else { 0o666 }).open(beside)?;
    let written = new
        .write_all(job.text().as_bytes())
        .and_then(|()| match fs::metadata(file) {
            Ok(old) => new.set_permissions(old.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| new.sync_all())
        .and_then(|()| match is_new {
            // Fails if another process has made it since.
            true => fs::hard_link(beside, file).and_then(|()| fs::remove_file(beside)),
            false => fs::rename(beside, file),
        });
    written.inspect_err(|_| {
        let _ = fs::remove_file(beside);
    })
}
