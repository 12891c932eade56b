//! The copy of one of several inputs.

use std::ffi::OsString;
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use ncutils_cli::progress::FilesBar;
use ncutils_core::location::Location;

use super::tally::Fate;
use super::{current, in_place, size};
use crate::arguments::Arguments;
use crate::{locations, modes};

/// An input, and its output.
#[derive(Debug)]
pub struct FileJob {
    /// The input, as it was named.
    pub input: OsString,
    /// The output.
    pub output: OutputName,
    /// True if the name came from `--recursive`. The file may be no dataset.
    pub found: bool,
    /// True if the input or the output lies on a remote store.
    pub is_remote: bool,
}

/// Where an output goes.
#[derive(Debug)]
pub enum OutputName {
    /// In the folder of outputs, with this path below it.
    Below(PathBuf),
    /// In the place of the input.
    Input,
    /// Where the user says.
    Named(OsString),
}

/// Result of a job.
pub struct Done {
    /// What became of the input.
    pub fate: Fate,
    /// The exit status of its copy.
    pub status: u8,
}

impl FileJob {
    /// The locations of the input and of the output in `folder`.
    ///
    /// # Errors
    /// Names that mean no location.
    pub fn locations(
        &self,
        folder: &OsString,
        arguments: &Arguments,
    ) -> anyhow::Result<(Location, Location)> {
        let input = locations::input(arguments, &self.input)?;
        let output = match &self.output {
            OutputName::Below(below) => Location::in_folder(folder, below)?,
            OutputName::Input => input.clone(),
            OutputName::Named(name) => Location::parse_output(name)?,
        };
        Ok((input, locations::output(arguments, output)?))
    }

    /// Bytes of a local input, not counted beyond `most`; `None` for others.
    pub fn size(&self, most: u64) -> Option<u64> {
        let input = Location::parse_input(Some(&self.input)).ok()?;
        let path = input.path().filter(|_| !input.is_standard_input())?;
        Some(size::stored_bytes(path, most))
    }

    /// Copies the input, unless the output is there.
    ///
    /// # Errors
    /// What fails, with the name of the input or of the output.
    pub fn run(
        &self,
        (input, output): (&Location, &Location),
        bar: Option<&Arc<FilesBar>>,
        arguments: &Arguments,
    ) -> anyhow::Result<Done> {
        let skipped = Done {
            fate: Fate::Skipped,
            status: 0,
        };
        let of_bar = bar.map(|bar| {
            let progress = bar.file(self.size(u64::MAX).unwrap_or(0));
            Arguments {
                progress: Some(Arc::new(progress)),
                ..arguments.clone()
            }
        });
        let arguments = of_bar.as_ref().unwrap_or(arguments);
        let _lock = match self.output {
            OutputName::Input => in_place::lock(input, arguments)?,
            OutputName::Below(_) | OutputName::Named(_) => None,
        };
        if self.found && is_no_dataset(input, arguments) {
            return Ok(Done {
                fate: Fate::NoDataset,
                ..skipped
            });
        }
        let is_candidate = match (input.path(), output.path()) {
            _ if arguments.files.in_place => true,
            (Some(from), Some(to)) if arguments.files.update => current::is_newer(from, to, arguments),
            _ => false,
        };
        if is_candidate && current::is_stored_so(input, output, arguments) {
            return Ok(skipped);
        }
        let before = size::known_bytes(input);
        let times = match arguments.files.preserve {
            true => input.path().map(Times::of).transpose(),
            false => Ok(None),
        };
        let times = times.with_context(|| format!("{input}: cannot read the times"))?;
        let is_made = matches!(self.output, OutputName::Below(_)) && !arguments.dry_run;
        if let Some(folder) = output.path().and_then(Path::parent).filter(|_| is_made) {
            fs::create_dir_all(folder)
                .with_context(|| format!("{}: cannot create the folder", folder.display()))?;
        }
        let status = modes::copy((input, output), arguments)?;
        if let (Some(times), Some(path), false) = (times, output.path(), arguments.dry_run) {
            let set = times.set(path);
            set.with_context(|| format!("{output} is in place, but its times cannot be set"))?;
        }
        let after = size::known_bytes(output);
        Ok(Done {
            fate: Fate::Copied { before, after },
            status,
        })
    }
}

/// True if a file is of no known format.
pub fn is_no_dataset(input: &Location, arguments: &Arguments) -> bool {
    let opened = input
        .input()
        .and_then(|opened| input.open_input(opened, &arguments.copy.registry));
    opened.is_err_and(|error| error.is_unknown_format())
}

/// When a file was read and changed.
struct Times(FileTimes);

impl Times {
    fn of(path: &Path) -> std::io::Result<Self> {
        let found = fs::metadata(path)?;
        let times = FileTimes::new().set_modified(found.modified()?);
        Ok(Self(times.set_accessed(found.accessed()?)))
    }

    fn set(&self, path: &Path) -> std::io::Result<()> {
        File::open(path)?.set_times(self.0)
    }
}
