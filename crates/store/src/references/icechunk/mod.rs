//! Icechunk: a repository of snapshots of Zarr hierarchies, whose chunks lie in the repository or elsewhere. Specification 1 and 2.
//!
//! ```text
//! refs/branch.NAME/ref.json   specification 1 ─┐
//! refs/tag.NAME/ref.json                       ├─► id of a snapshot ─► snapshots/ID ─► manifests/ID ─► chunks/ID, other objects
//! repo                        specification 2 ─┘
//!
//! file: 39 bytes of header, flatbuffer by zstd ─► file_reader ─► flatbuffer_reader ─► snapshot, manifest ─► IcechunkReferences
//! KeyOutput ─► write ─► a snapshot of specification 1
//! ```
//!
//! See <https://icechunk.io/en/latest/reference/spec/>.

mod file_reader;
mod flatbuffer_reader;
mod id;
mod manifest_reader;
mod places;
mod references;
mod repository_reader;
mod snapshot_reader;
mod write;

pub use file_reader::{FileKind, read_file};
pub use id::SnapshotId;
pub use manifest_reader::Manifest;
pub use places::RepositoryPlaces;
pub use references::IcechunkReferences;
pub use repository_reader::Repository;
pub use snapshot_reader::Snapshot;
pub use write::RepositoryOutput;
