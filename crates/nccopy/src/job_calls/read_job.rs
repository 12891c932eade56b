//! Reads the file of a job.

use std::fs;
use std::io::Read;
use std::path::Path;

use ncutils_core::distributed::JobFile;
use ncutils_core::error::{Error, Result};

/// Most bytes of the file of a job.
const MOST_BYTES: u64 = 1 << 30;

/// Reads the file of a job.
///
/// # Errors
/// What is no job, or one of another version.
pub(super) fn read(file: &Path) -> Result<JobFile> {
    let cannot = |e| Error::io("cannot read", e).in_file(file);
    let mut text = Vec::new();
    let opened = fs::File::open(file).map_err(cannot)?;
    opened
        .take(MOST_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(cannot)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(Error::Damaged("too large for the file of a job".to_owned()).in_file(file));
    }
    JobFile::parse(&text).map_err(|error| error.in_file(file))
}

/// Checks that this program plans as the one did that planned a job.
///
/// # Errors
/// It is of another version.
pub(super) fn check_version(job: &JobFile, file: &Path) -> Result<()> {
    let own = env!("CARGO_PKG_VERSION");
    match job.version == own {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "the job was planned by version {} of ncutils, and this is {own}; use the same, or abandon the job and plan it again",
            job.version
        ))
        .in_file(file)),
    }
}
