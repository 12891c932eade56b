//! Outputs: which kind a name asks for, what may be replaced there, and what is made.
//!
//! ```text
//! name, -k, input ─► output_kind: Kind ─► checks: may it be written? ─┬─► destination ─► raw_files: what lies beside it
//!                                                                     └─► staged: read back first
//! references ─► reference_files: JSON, Parquet in a folder, a repository
//! output of many processes ─► job_stage ─► job: place, stage, phase
//! dataset that exists ─► checks: may it change? ─► growth: the lock, refused if another process has it ─► cells are added
//! folder, path below it ─► folder: the name of one output of several
//! ```

pub(super) mod checks;
pub(super) mod destination;
mod folder;
pub(super) mod growth;
pub(super) mod job;
mod job_stage;
pub(super) mod output_kind;
mod raw_files;
mod reference_files;
pub(super) mod staged;
