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
mod object;

pub use dataset::Dataset;
pub use file::File;
pub use object::{Object, ObjectKind};
