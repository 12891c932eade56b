//! Reading a file.
//!
//! ```text
//! ByteSource ─► block_cache ─► MetadataReader ─► superblock, object headers, heaps, B-trees ─► File
//! ```

mod block_cache;
pub(crate) mod bytes;
