//! Reading a file.
//!
//! ```text
//! ByteSource ─► block_cache ─► MetadataReader ─► superblock, object headers, heaps, B-trees ─► File
//! ```

mod block_cache;
pub(crate) mod bytes;
mod cursor;
mod dataset;
mod file;
pub(crate) mod header_blocks;
mod limits;
pub(crate) mod misses;
mod object;
mod options;
mod prefetch;

pub use dataset::Dataset;
pub use file::File;
pub use limits::Limits;
pub use object::{Object, ObjectKind};
pub use options::OpenOptions;
