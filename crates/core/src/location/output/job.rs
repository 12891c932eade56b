//! [`JobPlace`], [`JobStage`]: where the processes of a job write, and what there is of it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::store::KeyOutput;

/// Key of the note that names the run. Without it the job is over.
pub const RUN_NOTE: &str = "run";

/// The place of a job, as the process that plans it tells the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPlace {
    /// Name of the run: hexadecimal digits.
    pub run: String,
    /// True if a dataset on a remote store is built beside an older one.
    pub is_beside: bool,
    /// How the processes write.
    pub way: JobWay,
}

/// How the processes of a job write its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobWay {
    /// A tree of keys, each of which any process can write.
    Keys,
    /// One file, each byte of which has a known place.
    Placed,
    /// Packs, of which the output is made when all are there.
    Packs,
}

/// Where the processes of a job write.
pub struct JobStage {
    /// Notes and packs.
    pub notes: Arc<dyn KeyOutput>,
    /// What all processes write beside them.
    pub target: JobTarget,
    /// Leaves what the process that plans the job has begun to all processes; `None` if it has begun nothing, or left it. Dropped, it
    /// removes that.
    pub(crate) keep: Option<Keep>,
}

/// What all processes of a job write, beside notes and packs.
pub enum JobTarget {
    /// The dataset's own keys.
    Keys(Arc<dyn KeyOutput>),
    /// One file, at the places of its data.
    File(PathBuf),
    /// Nothing.
    Packs,
}

/// What there is of a job.
pub enum JobPhase {
    /// Parts are made, or can be.
    Open(JobStage),
    /// The output has appeared. Notes are left.
    Published,
    /// Nothing: the job was finished or abandoned.
    Over,
}

/// Leaves what was begun to others.
pub(crate) type Keep = Box<dyn FnOnce() + Send>;

impl JobStage {
    /// Leaves the job to all processes. Without this call, dropping the stage removes it.
    pub fn keep(&mut self) {
        if let Some(keep) = self.keep.take() {
            keep();
        }
    }
}
