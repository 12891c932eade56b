//! [`Step`]: what a process does of a job.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;
use ncutils_core::distributed::{JobFile, PartList};
use ncutils_core::error::{Error, Result};
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

impl Step {
    /// The step that the options of a copy ask for: `--plan`.
    pub fn of_copy(matches: &ArgMatches) -> Option<Self> {
        let file: &OsString = matches.get_one("plan")?;
        Some(Self::Plan(Planning {
            file: file.into(),
            parts: matches.get_one("parts").copied(),
        }))
    }
}
