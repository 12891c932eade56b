//! Outputs: which kind a name asks for, what may be replaced there, and what is made.
//!
//! ```text
//! name, -k, input ─► output_kind: Kind ─► containment, writer, zarr_folder, room: may it be written? ─► destination
//!                                                                                              └─► staged: read back first
//! references ─► references: JSON, or Parquet in a folder: parquet_folder
//! output of many processes ─► job_stage
//! dataset that exists ─► bound_files: may it change? ─► growth: cells are added to it where it is
//! folder, path below it ─► folder: the name of one output of several
//! ```

mod bound_files;
pub(super) mod containment;
pub(super) mod destination;
mod folder;
pub(super) mod growth;
pub(super) mod job_stage;
pub(super) mod output_kind;
mod parquet_folder;
mod raw_files;
mod references;
mod room;
pub(super) mod staged;
mod writer;
pub(super) mod zarr_folder;
