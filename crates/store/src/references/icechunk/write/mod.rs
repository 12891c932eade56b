//! Writes repositories, by specification 1: new ones, and further snapshots of a branch.
//!
//! ```text
//! KeyOutput ─► repository_writer ─► manifest_writer, snapshot_writer ─► flatbuffer_writer ─► file_writer
//!                    └─► parent: the snapshot that a new one is made from; its manifests stay
//! ```

mod file_writer;
pub(super) mod flatbuffer_writer;
mod manifest_writer;
mod parent;
mod repository_writer;
mod settings_writer;
mod snapshot_writer;

pub use repository_writer::RepositoryOutput;
