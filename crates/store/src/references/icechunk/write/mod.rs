//! Writes repositories: new ones, and further snapshots of a branch.
//!
//! ```text
//! KeyOutput ─► repository_writer ─► manifest_writer, snapshot_writer, transaction_writer ─► ../flatbuffer_writer ─► file_writer
//!                    ├─► parent: the snapshot that a new one is made from; its manifests stay
//!                    └─► commit: the branch moves, if no other program moved it
//! ```

mod chunk_list;
mod commit;
mod file_writer;
mod manifest_writer;
mod parent;
mod repository_writer;
mod settings_writer;
mod snapshot_writer;
mod transaction_writer;

pub use repository_writer::RepositoryOutput;
