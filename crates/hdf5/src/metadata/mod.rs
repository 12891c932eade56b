//! Checked reads of a file's structures.
//!
//! ```text
//! ByteSource ─► block_cache ─► MetadataReader ─┬─► Cursor: the fields of one structure ─► object headers, heaps, B-trees
//!                   │               │          └─► Walk: structures that refer to each other, without cycles
//!                   └─ Misses       ├─ Limits, NotedBlocks, image_overlay
//!                                   └─ SpaceUse, Extents: what was allocated for each
//! ```
//!
//! A structure is read by its address and checked as it is decoded. An error names the structure and the offset.

mod announced;
mod block_cache;
mod cursor;
mod extents;
mod image_overlay;
mod limits;
mod misses;
mod noted_blocks;
mod reader;
mod space_use;
mod walk;

pub(crate) use cursor::Cursor;
pub(crate) use extents::Extents;
pub use limits::Limits;
pub use noted_blocks::StructureBlock;
pub(crate) use reader::MetadataReader;
pub(crate) use space_use::{NodeSizes, SpaceUse};
pub(crate) use walk::Walk;
