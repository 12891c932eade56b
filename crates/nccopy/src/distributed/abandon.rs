//! `--abandon`: everything that a job has written goes.

use std::path::Path;

use ncutils_core::distributed::{JobFile, JobState};
use ncutils_core::error::Error;

use super::job_arguments::JobArguments;
use crate::modes::distributed::write;

/// Removes what the job has written. Its output, if it is there, stays as it was.
///
/// # Errors
/// A job that is finished; the store fails.
pub fn abandon(arguments: &JobArguments<'_>, file: &Path) -> anyhow::Result<u8> {
    let job = arguments.job;
    match job.state {
        JobState::Finished => {
            return Err(
                Error::Usage("the job is finished; remove its output instead".to_owned())
                    .in_file(file)
                    .into(),
            );
        }
        JobState::Abandoned => return Ok(0),
        JobState::Open => {}
    }
    let joined = arguments.join(&arguments.planned()?);
    let abandoned = JobFile {
        state: JobState::Abandoned,
        ..job.clone()
    };
    write(&abandoned, file).map_err(|e| Error::io("cannot write", e).in_file(file))?;
    if let Ok((stage, _)) = joined {
        stage.remove()?;
    }
    Ok(0)
}
