//! The jobs of a call: their names, before anything is read.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ncutils_core::error::Error;
use ncutils_core::location::{Location, ReplacedFiles, StoreKind};
use ncutils_core::model::Kind;

use super::in_place;
use super::inputs::{self, Input};
use super::job::{FileJob, OutputName};
use super::output_name::Ending;
use crate::arguments::Arguments;
use crate::files::Form;
use crate::locations;

/// The jobs that a command line asks for, and the folder of their outputs; empty if they name their outputs themselves.
///
/// # Errors
/// Names that are wrong before anything is read: two inputs with one output, an output that is an input, a list that cannot be
/// read, a folder of outputs that cannot be one.
pub fn jobs(form: &Form<'_>, arguments: &Arguments) -> anyhow::Result<(Vec<FileJob>, OsString)> {
    Ok(match form {
        Form::InPlace(names) => {
            in_place::check_options(arguments)?;
            let mut jobs = in_place_jobs(inputs::all(names, &arguments.files)?);
            let mut known = HashSet::new();
            jobs.retain(|job| identity(&job.input).is_none_or(|identity| known.insert(identity)));
            (jobs, OsString::new())
        }
        Form::IntoFolder(names, folder) => (
            jobs_into(folder, inputs::all(names, &arguments.files)?, arguments)?,
            (*folder).clone(),
        ),
        Form::One(input, output) => {
            let is_remote = Location::parse_input(Some(input))?.is_remote()
                || Location::parse_output(output)?.is_remote();
            let job = FileJob {
                input: (*input).clone(),
                output: OutputName::Named((*output).clone()),
                found: false,
                is_remote,
            };
            (vec![job], OsString::new())
        }
    })
}

fn in_place_jobs(inputs: Vec<Input>) -> Vec<FileJob> {
    let job = |input: Input| FileJob {
        input: input.name,
        output: OutputName::Input,
        found: false,
        is_remote: false,
    };
    inputs.into_iter().map(job).collect()
}

/// The jobs whose outputs go into a folder.
fn jobs_into(folder: &OsStr, inputs: Vec<Input>, arguments: &Arguments) -> anyhow::Result<Vec<FileJob>> {
    let output = Location::parse_output(folder)?;
    check_folder(&output)?;
    let ending = ending(&output, arguments);
    let mut jobs = Vec::with_capacity(inputs.len());
    for input in inputs {
        let location = Location::parse_input(Some(&input.name))?;
        let Some(name) = location.file_name() else {
            anyhow::bail!("{location}: an input without a name cannot go into a folder");
        };
        jobs.push(FileJob {
            output: OutputName::Below(input.below.join(ending.name(&name))),
            input: input.name,
            found: input.found,
            is_remote: location.is_remote() || output.is_remote(),
        });
    }
    check_outputs(folder, &jobs, arguments)?;
    Ok(jobs)
}

/// The ending of the outputs' names.
fn ending(output: &Location, arguments: &Arguments) -> Ending {
    let archive = &arguments.archive;
    match output.mode() {
        _ if arguments.plain_zst => Ending::Zst,
        _ if archive.pack => Ending::of(Some(Kind::ClassicArchive), false),
        _ if archive.restore || arguments.as_hdf5 => Ending::File,
        Some(mode) if mode.is_zarr() => Ending::of(
            mode.format.or(arguments.copy.kind),
            mode.store == Some(StoreKind::Zip),
        ),
        _ => Ending::of(arguments.copy.kind, false),
    }
}

/// Checks that a local folder of outputs is there, or can be made.
fn check_folder(output: &Location) -> Result<(), Error> {
    let Some(path) = output.path() else {
        return Ok(());
    };
    // A slash at the end is no part of a component.
    let path: PathBuf = path.components().collect();
    let there = path.ancestors().find_map(|at| Some((at, fs::metadata(at).ok()?)));
    match there {
        Some((file, found)) if !found.is_dir() => Err(Error::Usage(format!(
            "{}: outputs cannot be put below this, which is a file; name a folder",
            file.display()
        ))),
        _ => Ok(()),
    }
}

/// Device and inode of a local file or folder; `None` where there is none.
fn identity(name: &OsStr) -> Option<(u64, u64)> {
    let found = fs::metadata(name).ok()?;
    Some((found.dev(), found.ino()))
}

/// Checks that no two jobs have one output, and that no output is an input.
fn check_outputs(folder: &OsStr, jobs: &[FileJob], arguments: &Arguments) -> anyhow::Result<()> {
    let inputs: HashMap<(u64, u64), &OsStr> = jobs
        .iter()
        .filter_map(|job| Some((identity(&job.input)?, job.input.as_os_str())))
        .collect();
    let mut outputs: HashMap<&Path, &OsStr> = HashMap::with_capacity(jobs.len());
    for job in jobs {
        let OutputName::Below(below) = &job.output else {
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
    check_sources(folder, jobs, arguments)?;
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

/// Checks that no output replaces a file that an input leads to.
fn check_sources(folder: &OsStr, jobs: &[FileJob], arguments: &Arguments) -> anyhow::Result<()> {
    let outputs = jobs.iter().filter_map(|job| match &job.output {
        OutputName::Below(below) => Location::in_folder(folder, below).ok(),
        OutputName::Input | OutputName::Named(_) => None,
    });
    let replaced = ReplacedFiles::of(&Location::parse_output(folder)?, outputs);
    if replaced.is_empty() {
        return Ok(());
    }
    let as_it_is = arguments.as_hdf5 || arguments.plain_zst;
    let check = |job: &FileJob| {
        let input = locations::input(arguments, &job.input)?;
        Ok(replaced.check_input(&input, &arguments.copy.registry, as_it_is)?)
    };
    locations::look_at_all(jobs, |job| &job.input, check).map(drop)
}
