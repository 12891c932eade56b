//! Joins a job that another process has planned.

use ncutils_core::distributed::{JobFile, Notes, over};
use ncutils_core::error::Result;
use ncutils_core::location::{CreateOptions, JobPhase, JobStage, Location};

/// The notes in the stage of a job.
pub(crate) fn notes_of(job: &JobFile, stage: &JobStage) -> Notes {
    Notes::new(stage.notes.clone(), &job.place.run, &job.plan)
}

/// Joins a job where its output is.
///
/// # Errors
/// The job is over.
pub(crate) fn join(job: &JobFile, output: &Location, options: &CreateOptions) -> Result<(JobStage, Notes)> {
    match output.join_job(&job.place, options)? {
        JobPhase::Open(stage) => {
            let notes = notes_of(job, &stage);
            Ok((stage, notes))
        }
        JobPhase::Published | JobPhase::Over => Err(over().in_file(output.name())),
    }
}
