//! Outputs: which kind a name asks for, what may be replaced there, and what is made.
//!
//! ```text
//! name, -k, input ─► output_kind: Kind ─► containment, which programs ask: are input and output apart, and what the input leads to?
//!   ─► destination, or staged: read back first
//!        ├─► size: does a disk hold it?   open_elsewhere: does another program write it?   zarr_folder: may the folder go?
//!        └─► raw_files: what lies beside it
//! references ─► reference_files: JSON, Parquet in a folder (parquet_folder), a repository
//! output of many processes ─► job_stage ─► job: place, stage, phase
//! dataset that exists ─► bound_files: may it change? ─► growth: the lock, refused if another process has it ─► cells are added
//! folder, path below it ─► folder: the name of one output of several
//! ```

mod bound_files;
pub(super) mod containment;
pub(super) mod destination;
mod folder;
pub(super) mod growth;
pub(super) mod job;
mod job_stage;
mod open_elsewhere;
pub(super) mod output_kind;
mod parquet_folder;
mod raw_files;
mod reference_files;
pub(super) mod size;
pub(super) mod staged;
pub(super) mod zarr_folder;
