//! Reading a file: bytes, metadata, objects and data.
//!
//! ```text
//! ByteSource ─► block_cache ─► MetadataReader ─► superblock, object headers, heaps, B-trees ─► File
//! ```

mod block_cache;
pub(crate) mod bytes;
mod cursor;
mod damage;
mod dataset;
mod elements;
mod file;
pub(crate) mod header_blocks;
mod limits;
pub(crate) mod misses;
mod noted_blocks;
mod number;
mod object;
mod options;
mod path;
mod prefetch;

pub use damage::Tolerated;
pub use dataset::Dataset;
pub use elements::StoredChunk;
pub use file::File;
pub use limits::Limits;
pub use noted_blocks::StructureBlock;
pub use number::Number;
pub use object::{Object, ObjectKind};
pub use options::OpenOptions;
pub use path::Followed;
