//! Calls that name the file of a job: `--part`, `--status`, `--finish`, `--abandon`.
//!
//! ```text
//! request ─┬─► part, finish: is there anything to do? ─► job_arguments: the arguments of the plan ─► modes: the copy
//!          └─► status, abandon: no copy is planned
//! resume: all of these in one process
//! ```
//!
//! The exit status is 3 if parts are missing, and 4 if an input has changed since the job was planned.

mod abandon;
mod finish;
mod job_arguments;
mod part;
mod read_job;
mod request;
mod resume;
mod status;
mod with_parent;

pub use request::JobRequest;
pub use resume::resume;
pub use with_parent::end_with_parent;

/// Exit status if parts of a job are missing.
const MISSING: u8 = 3;

/// Exit status if an input has changed since the job was planned.
const CHANGED: u8 = 4;
