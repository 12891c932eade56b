//! All jobs of a call: their names, their turns, and what is told of them.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use ncutils_cli::options::NCCOPY;
use ncutils_cli::progress::FilesBar;
use ncutils_core::copy::default_budget;
use ncutils_core::error::Error;
use ncutils_core::location::{Location, StoreKind};
use ncutils_core::threads;

use super::in_place;
use super::inputs::{self, Input};
use super::job::{Done, Job, Target};
use super::output_name::Ending;
use super::tally::{self, Fate, Tally};
use super::turns::{SMALL, in_turns};
use crate::arguments::Arguments;
use crate::files::Form;

/// Most names that a warning has.
const MOST_NAMES: usize = 10;

/// Copies several inputs. Returns the exit status: 1 if one failed, else 3 if something of a damaged input is lost, else 0.
///
/// # Errors
/// Names that are wrong before anything is read: two inputs with one output, an output that is an input, a list that cannot be
/// read.
pub fn copy(form: &Form<'_>, arguments: &Arguments) -> anyhow::Result<u8> {
    let nowhere = OsString::new();
    let (jobs, folder) = match form {
        Form::InPlace(names) => {
            in_place::check_options(arguments)?;
            let mut jobs = in_place_jobs(inputs::all(names, &arguments.files)?);
            let mut known = HashSet::new();
            jobs.retain(|job| identity(&job.input).is_none_or(|identity| known.insert(identity)));
            (jobs, &nowhere)
        }
        Form::IntoFolder(names, folder) => (
            jobs_into(folder, inputs::all(names, &arguments.files)?, arguments)?,
            *folder,
        ),
        Form::One(input, output) => {
            let job = Job {
                input: (*input).clone(),
                output: Target::Named((*output).clone()),
                found: false,
            };
            (vec![job], &nowhere)
        }
    };
    let run = Run {
        folder,
        tally: Tally::new(arguments.dry_run),
        status: AtomicU8::new(0),
        no_datasets: Mutex::new(Vec::new()),
        unread: Mutex::new(None),
    };
    run.all(jobs, arguments);
    run.end(arguments)
}

fn in_place_jobs(inputs: Vec<Input>) -> Vec<Job> {
    let job = |input: Input| Job {
        input: input.name,
        output: Target::Input,
        found: false,
    };
    inputs.into_iter().map(job).collect()
}

/// The jobs whose outputs go into a folder.
fn jobs_into(folder: &OsStr, inputs: Vec<Input>, arguments: &Arguments) -> anyhow::Result<Vec<Job>> {
    let ending = ending(folder, arguments)?;
    let mut jobs = Vec::with_capacity(inputs.len());
    for input in inputs {
        let location = Location::parse_input(Some(&input.name))?;
        let Some(name) = location.file_name() else {
            anyhow::bail!("{location}: an input without a name cannot go into a folder");
        };
        jobs.push(Job {
            output: Target::Below(input.below.join(ending.name(&name))),
            input: input.name,
            found: input.found,
        });
    }
    check_outputs(folder, &jobs, arguments)?;
    Ok(jobs)
}

/// The ending of the outputs' names.
fn ending(folder: &OsStr, arguments: &Arguments) -> anyhow::Result<Ending> {
    let output = Location::parse_output(folder)?;
    let archive = &arguments.archive;
    Ok(match output.mode() {
        _ if arguments.plain_zst => Ending::Zst,
        _ if arguments.archive.pack => Ending::Archive("nc3z"),
        _ if archive.restore || arguments.as_hdf5 => Ending::File,
        Some(mode) if mode.is_zarr() => Ending::of(
            mode.format.or(arguments.copy.kind),
            mode.store == Some(StoreKind::Zip),
        ),
        _ => Ending::of(arguments.copy.kind, false),
    })
}

/// Device and inode of a local file or folder; `None` where there is none.
fn identity(name: &OsStr) -> Option<(u64, u64)> {
    let found = std::fs::metadata(name).ok()?;
    Some((found.dev(), found.ino()))
}

/// Checks that no two jobs have one output, and that no output is an input.
fn check_outputs(folder: &OsStr, jobs: &[Job], arguments: &Arguments) -> anyhow::Result<()> {
    let inputs: HashMap<(u64, u64), &OsStr> = jobs
        .iter()
        .filter_map(|job| Some((identity(&job.input)?, job.input.as_os_str())))
        .collect();
    let mut outputs: HashMap<&Path, &OsStr> = HashMap::with_capacity(jobs.len());
    for job in jobs {
        let Target::Below(below) = &job.output else {
            continue;
        };
        if let Some(other) = outputs.insert(below, &job.input) {
            return Err(Error::Usage(format!(
                "{} and {} have the same output, {}; copy them into different folders",
                other.display(),
                job.input.display(),
                below.display()
            ))
            .into());
        }
        let output = Location::in_folder(folder, below)?;
        let there = output.path().and_then(|path| identity(path.as_os_str()));
        if let Some(other) = there.and_then(|there| inputs.get(&there)) {
            return Err(Error::Usage(format!(
                "{output} and the input {} are the same file; name another folder, or give --in-place",
                other.display()
            ))
            .into());
        }
    }
    let recursive = arguments.files.recursive;
    if let (true, Some(input), Some(output)) = (
        recursive,
        arguments.files.operands.first(),
        Location::parse_output(folder)?.path(),
    ) {
        Location::from_path(input).check_output(&Location::from_path(output))?;
    }
    Ok(())
}

/// State that all jobs share.
struct Run<'a> {
    folder: &'a OsString,
    tally: Tally,
    status: AtomicU8,
    /// Files of a folder that are no datasets.
    no_datasets: Mutex<Vec<String>>,
    /// The failure of standard output. No job starts after it.
    unread: Mutex<Option<anyhow::Error>>,
}

impl Run<'_> {
    fn all(&self, jobs: Vec<Job>, arguments: &Arguments) {
        let threads = threads::count();
        let share = Arguments {
            memory: Some(arguments.memory.unwrap_or_else(default_budget) / threads.max(1) as u64),
            ..arguments.clone()
        };
        let bar = match arguments.messages.is_quiet() {
            true => None,
            false => FilesBar::on_terminal(jobs.len() as u64, || {
                jobs.iter().filter_map(|job| job.size(u64::MAX)).sum()
            }),
        };
        let mut jobs = jobs.into_iter();
        in_turns(
            threads,
            || match self.unread.lock() {
                Ok(unread) if unread.is_none() => jobs.next(),
                _ => None,
            },
            |job| job.size(SMALL).is_none_or(|size| size > SMALL),
            |job, has_all_threads| {
                let arguments = if has_all_threads { arguments } else { &share };
                match job.locations(self.folder, arguments) {
                    Ok((input, output)) => {
                        let done = job.run((&input, &output), bar.as_ref(), arguments);
                        self.tell(&job, Some(&output), done, arguments);
                    }
                    Err(error) => self.tell(&job, None, Err(error), arguments),
                }
            },
        );
        if let Some(bar) = bar {
            bar.clear();
        }
    }

    /// Tells what came of a job.
    fn tell(&self, job: &Job, output: Option<&Location>, done: anyhow::Result<Done>, arguments: &Arguments) {
        let input = job.input.display().to_string();
        let (fate, error) = match done {
            Ok(done) => {
                self.status.fetch_max(done.status, Ordering::Relaxed);
                (done.fate, None)
            }
            Err(error) if ncutils_cli::is_broken_pipe(&error) => {
                self.keep(Err(error));
                return;
            }
            Err(error) => (Fate::Failed, Some(error_of(&input, error, arguments))),
        };
        if let Some(error) = &error {
            arguments.messages.tell(error);
        }
        if fate == Fate::NoDataset
            && let Ok(mut names) = self.no_datasets.lock()
        {
            names.push(input.clone());
        }
        self.tally.add(fate);
        if arguments.json {
            let output = output.map(Location::to_string).unwrap_or_default();
            let printed = ncutils_cli::print(tally::json(
                &input,
                &output,
                fate,
                self.tally.copied_name(),
                error.as_deref(),
            ));
            self.keep(printed);
        }
    }

    fn keep(&self, done: anyhow::Result<()>) {
        if let (Err(error), Ok(mut unread)) = (done, self.unread.lock()) {
            unread.get_or_insert(error);
        }
    }

    /// Tells the whole, and gives the exit status.
    fn end(self, arguments: &Arguments) -> anyhow::Result<u8> {
        if let Ok(Some(error)) = self.unread.into_inner() {
            return Err(error);
        }
        let names = self.no_datasets.into_inner().unwrap_or_default();
        if !names.is_empty() {
            let more = match names.len().saturating_sub(MOST_NAMES) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let first = names
                .iter()
                .take(MOST_NAMES)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            arguments.messages.warn(format_args!(
                "files that are no datasets are left out: {first}{more}"
            ));
        }
        if arguments.json {
            ncutils_cli::print(self.tally.json())?;
        }
        arguments.messages.note(&self.tally);
        Ok(match self.tally.failed() {
            0 => self.status.into_inner(),
            _ => 1,
        })
    }
}

/// The text of an error, which names the input.
fn error_of(input: &str, error: anyhow::Error, arguments: &Arguments) -> String {
    let text = ncutils_cli::error_text(&NCCOPY, error, !arguments.salvage);
    let names_it = text.split(": ").any(|part| part == input);
    match names_it {
        true => text,
        false => format!("{input}: {text}"),
    }
}
