//! `--abandon`: everything that a job has written goes.

use std::path::Path;

use ncutils_core::distributed::JobState;
use ncutils_core::error::Error;

use super::job_arguments::JobArguments;

/// Removes what the job has written, also what a killed call of this has left. The output, if it is there, stays as it was.
///
/// # Errors
/// A job that is finished; the store fails.
pub fn abandon(arguments: &JobArguments<'_>, file: &Path) -> anyhow::Result<u8> {
    let job = arguments.job;
    if job.state == JobState::Finished {
        return Err(
            Error::Usage("the job is finished; remove its output instead".to_owned())
                .in_file(file)
                .into(),
        );
    }
    if job.state == JobState::Open {
        // Nobody finishes a job while it is being removed.
        arguments
            .note(JobState::Abandoned, file)
            .map_err(|e| Error::io("cannot write", e).in_file(file))?;
    }
    arguments.output()?.remove_job(&job.place)?;
    Ok(0)
}
