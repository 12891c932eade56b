//! Several inputs by many processes: each part of the job copies a group of them, and each output appears by itself.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use ncutils_core::distributed::{Content, Notes, PartWork, PlannedPart, files_digest};
use ncutils_core::error::Error;
use ncutils_core::location::{CreateOptions, Location};

use super::job::FileJob;
use super::jobs::jobs;
use crate::arguments::{Arguments, GoesOn};
use crate::files::{Files, Form};
use crate::job_step::{Making, Planning, Step};
use crate::locations;
use crate::modes::job_steps::{Keeper, announce, begin, identity, join, planned_job};

/// Bytes that an input whose size is not known counts for.
const UNKNOWN: u64 = 64 << 20;

/// Bytes that an input counts for besides its own.
const EACH: u64 = 64 << 10;

/// Does a step of a job with several inputs. `copy` copies those that are left. Returns the exit status.
///
/// # Errors
/// What fails before inputs are copied.
pub fn take(
    step: &Step,
    form: &Form<'_>,
    arguments: &Arguments,
    copy: impl Fn(Vec<FileJob>, &OsString, &Arguments) -> anyhow::Result<u8>,
) -> anyhow::Result<u8> {
    match step {
        Step::Plan(planning) => plan(planning, form, arguments).map(|()| 0),
        Step::Part(making) => part(making, arguments, copy),
        Step::Finish(finishing) => {
            join(&finishing.job, &output(arguments)?, &CreateOptions::default())?;
            Ok(0)
        }
    }
}

/// The folder of outputs.
fn output(arguments: &Arguments) -> anyhow::Result<Location> {
    let name = arguments.files.operands.last().context("no folder of outputs")?;
    locations::output(arguments, Location::parse_output(name)?)
}

/// Writes the file of a job.
fn plan(planning: &Planning, form: &Form<'_>, arguments: &Arguments) -> anyhow::Result<()> {
    let Form::IntoFolder(..) = form else {
        return Err(Error::Usage(
            "--update and --preserve are for inputs whose outputs go into a folder; leave them out"
                .to_owned(),
        )
        .into());
    };
    let output = output(arguments)?;
    planning.check(&output)?;
    ncutils_cli::signals::handle("nccopy");
    let (jobs, _) = jobs(form, arguments)?;
    let look = |job: &FileJob| identity(&job.input, arguments);
    let inputs = locations::look_at_all(&jobs, |job| &job.input, look)?;
    let sizes: Vec<u64> = jobs
        .iter()
        .map(|job| job.size(u64::MAX).unwrap_or(UNKNOWN))
        .collect();
    let parts = groups(&sizes, planning.count(sizes.iter().sum()));
    let (place, stage) = output.begin_job_of_files()?;
    let mut job = planned_job(inputs, place, parts, arguments)?;
    job.plan = files_digest(&job.inputs, &job.arguments);
    begin(&job, stage, &output, &planning.file)?;
    announce(planning, &job, arguments);
    Ok(())
}

/// Cuts inputs of these sizes into groups of about equal bytes.
fn groups(sizes: &[u64], parts: u64) -> Vec<PlannedPart> {
    let cost = |size: &u64| u128::from(*size) + u128::from(EACH);
    let all: u128 = sizes.iter().map(cost).sum();
    let mut ends = Vec::new();
    let (mut before, mut at) = (0u128, 0);
    for part in 1..=u128::from(parts) {
        let end = all * part / u128::from(parts);
        // An input goes to the side on which its middle is.
        while let Some(size) = sizes.get(at).filter(|size| before + cost(size) / 2 < end) {
            before += cost(size);
            at += 1;
        }
        ends.push(at);
    }
    let mut first = 0;
    ends.into_iter()
        .map(|end| {
            let part = PlannedPart {
                bytes: sizes[first..end]
                    .iter()
                    .fold(0, |sum, size| sum.saturating_add(*size)),
                work: PartWork::Files(first as u64, end as u64),
            };
            first = end;
            part
        })
        .collect()
}

/// Copies the inputs of parts.
fn part(
    making: &Making,
    arguments: &Arguments,
    copy: impl Fn(Vec<FileJob>, &OsString, &Arguments) -> anyhow::Result<u8>,
) -> anyhow::Result<u8> {
    let output = output(arguments)?;
    let (_stage, notes): (_, Notes) = join(&making.job, &output, &CreateOptions::default())?;
    let mut worst = 0;
    for part in making.parts.numbers() {
        notes.check()?;
        let of_part = notes.of_part(part);
        of_part.begin()?;
        let keeper = Keeper::new(notes.clone(), of_part.clone(), Arc::new(AtomicBool::new(false)));
        let asked = notes.clone();
        // Each input is copied by this process alone. A job that was abandoned copies no further one.
        let each = Arguments {
            step: None,
            goes_on: GoesOn::while_true(move || asked.runs().unwrap_or(true)),
            ..arguments.clone()
        };
        let inputs = making.job.inputs_of(part);
        let chosen: Vec<OsString> = inputs.iter().map(|input| input.name.clone()).collect();
        let count = chosen.len() as u64;
        let files = Files {
            chosen: Some(chosen),
            ..arguments.files.clone()
        };
        let (jobs, folder) = jobs(
            &files.form()?,
            &Arguments {
                files: files.clone(),
                ..arguments.clone()
            },
        )?;
        let status = copy(jobs, &folder, &each)?;
        drop(keeper);
        notes.check()?;
        if status == 0 {
            of_part.end(&Content::of_files(count))?;
            if making.tells {
                arguments.messages.note(format_args!("part {part}: done"));
            }
        } else {
            of_part.fail("an input failed");
        }
        worst = worst.max(status);
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_about_equal_bytes_and_every_input_once() {
        for (sizes, parts) in [
            (vec![100 << 20; 10], 3),
            (vec![1, 1 << 30, 1, 1], 2),
            (vec![5], 4),
            (Vec::new(), 2),
            ((0..100).map(|n| n << 20).collect(), 7),
        ] {
            let groups = groups(&sizes, parts);
            assert_eq!(groups.len() as u64, parts);
            let mut next = 0;
            for group in &groups {
                let PartWork::Files(first, end) = group.work else {
                    panic!("{group:?}");
                };
                assert_eq!(first, next);
                next = end;
            }
            assert_eq!(next as usize, sizes.len());
            let all: u64 = sizes.iter().sum();
            let largest = sizes.iter().max().copied().unwrap_or(0);
            for group in &groups {
                assert!(group.bytes <= all / parts + largest + EACH, "{groups:?}");
            }
        }
    }
}
