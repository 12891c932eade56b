//! [`Step`]: what a process does of a job.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clap::ArgMatches;
use ncutils_core::distributed::{JobFile, PartList};
use ncutils_core::error::{Error, Result};
use ncutils_core::join::KeptJoin;
use ncutils_core::location::Location;

/// Decoded bytes of a part of a copy that one process makes, and can go on with.
const PART: u64 = 64 << 20;

/// Most parts of such a copy.
const MOST_RESUMED: u64 = 1000;

/// What a process does of a job, once the copy is planned.
#[derive(Debug, Clone)]
pub enum Step {
    /// `--plan`: it writes the file of the job.
    Plan(Planning),
    /// `--part`: it makes parts.
    Part(Making),
    /// `--finish`: it lets the output appear.
    Finish(Finishing),
}

/// A job that is planned.
#[derive(Debug, Clone)]
pub struct Planning {
    /// The file of the job.
    pub file: PathBuf,
    /// The number of parts; `None` for one that suits a single process.
    pub parts: Option<u64>,
}

/// Parts that are made.
#[derive(Debug, Clone)]
pub struct Making {
    /// The job.
    pub job: Arc<JobFile>,
    /// The parts.
    pub parts: PartList,
    /// `--again`: also those that are done.
    pub again: bool,
    /// True to tell each part that is done.
    pub tells: bool,
    /// The name of an input that was found to have changed since the job was planned, when it was opened.
    pub changed: Arc<OnceLock<String>>,
}

/// A job that is finished.
#[derive(Debug, Clone)]
pub struct Finishing {
    /// The job.
    pub job: Arc<JobFile>,
}

impl Planning {
    /// The number of parts of a copy of so many decoded bytes.
    pub fn count(&self, bytes: u64) -> u64 {
        self.parts.unwrap_or((bytes / PART).clamp(1, MOST_RESUMED))
    }

    /// Checks that the file of the job takes the place of nothing, and not that of the output.
    ///
    /// # Errors
    /// The file exists, or is the output or in it.
    pub fn check(&self, output: &Location) -> Result<()> {
        let refused = |why: &str| Err(Error::Usage(why.to_owned()).in_file(&self.file));
        if fs::symlink_metadata(&self.file).is_ok() {
            return refused(
                "this exists; finish or abandon its job and remove it, or name another file for the job",
            );
        }
        let whole = |path: &Path| {
            let (folder, name) = (path.parent(), path.file_name());
            let folder = folder
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(name?))
        };
        let (own, output) = (whole(&self.file), output.path().and_then(whole));
        match (own, output) {
            (Some(own), Some(output)) if own.starts_with(&output) => {
                refused("the output has this name or holds this file; name another file for the job")
            }
            _ => Ok(()),
        }
    }
}

impl Making {
    /// Checks that an input is as it was when the job was planned.
    ///
    /// # Errors
    /// It has changed; a remote store fails.
    pub fn check(&self, number: usize, input: &Location) -> Result<()> {
        let is_same = match self.job.inputs.get(number) {
            Some(identity) => identity.is_same(input)?,
            None => false,
        };
        if is_same {
            return Ok(());
        }
        self.changed.get_or_init(|| input.to_string());
        Err(Error::Usage(
            "changed since the job was planned; plan it again".to_owned(),
        ))
    }
}

impl Step {
    /// What was found of inputs that are joined, where the job tells it.
    pub fn kept(&self) -> Option<&KeptJoin> {
        match self {
            Self::Plan(_) => None,
            Self::Part(Making { job, .. }) | Self::Finish(Finishing { job }) => job.joined.as_ref(),
        }
    }

    /// The parts that are made of inputs which are looked at when they are opened, and not before.
    pub fn looks_late(&self) -> Option<&Making> {
        match self {
            Self::Part(making) if making.job.joined.is_some() => Some(making),
            _ => None,
        }
    }

    /// True if the step lets the output appear, or begins a job that does.
    pub fn replaces(&self) -> bool {
        match self {
            Self::Plan(_) | Self::Finish(_) => true,
            Self::Part(_) => false,
        }
    }

    /// The step that the options of a copy ask for: `--plan`.
    pub fn of_copy(matches: &ArgMatches) -> Option<Self> {
        let file: &OsString = matches.get_one("plan")?;
        Some(Self::Plan(Planning {
            file: file.into(),
            parts: matches.get_one("parts").copied(),
        }))
    }
}
