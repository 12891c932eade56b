//! Icechunk: a repository of snapshots of Zarr hierarchies, whose chunks lie in the repository or elsewhere. Specification 1 and 2.
//!
//! ```text
//! refs/branch.NAME/ref.json   specification 1 ─┐
//! refs/tag.NAME/ref.json                       ├─► id of a snapshot ─► snapshots/ID ─► manifests/ID ─► chunks/ID, other objects
//! repo                        specification 2 ─┘
//!
//! file: 39 bytes of header, flatbuffer by zstd ─► file_reader ─► flatbuffer_reader ─► snapshot, manifest ─► IcechunkReferences
//! KeyOutput ─► write ─► a snapshot, and the branch that leads to it
//!
//! key of a chunk ─► chunk_key ─► references ─► manifest_reader ─┬─► keys: an object of the repository ──────────┬─► places opens it
//!                                                               └─► object_url, containers: an object elsewhere ┘
//! ```
//!
//! The snapshot of a branch or tag is found by `open_icechunk` of the core library, by `keys` and `repository`. `nodes` and `record` are
//! for reading and writing alike.
//!
//! See <https://icechunk.io/en/latest/reference/spec/>.

mod chunk_key;
mod containers;
mod file_reader;
mod flatbuffer_reader;
mod flatbuffer_writer;
mod flexbuffer;
mod id;
pub mod keys;
mod manifest_reader;
mod nodes;
mod object_url;
mod places;
mod record;
mod references;
mod repository;
mod snapshot_reader;
mod write;

pub use containers::Containers;
pub use file_reader::{FileKind, LARGEST_FILE, LARGEST_TEXT, MAGIC, Specification, get, read_file};
pub use flexbuffer::FlexValue;
pub use id::ObjectId;
pub use manifest_reader::{ChunkReference, Manifest, Wanted};
pub use places::RepositoryPlaces;
pub use references::IcechunkReferences;
pub use repository::Repository;
pub use snapshot_reader::Snapshot;
pub use write::RepositoryOutput;
