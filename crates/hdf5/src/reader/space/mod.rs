//! Which bytes of a file hold raw data, and which nothing refers to.
//!
//! ```text
//! File ─► survey: superblock, objects, data ─┬─► free_space: managers of free space ─────────┐
//!                                            └─► references: elements ─► heaps, objects ──────┴─► SpaceUse ─► bytes left
//! ```
//!
//! All structures are read once more, by a reader with a [`SpaceUse`](crate::metadata::SpaceUse). Whatever reads a structure tells it
//! the bytes that were allocated for it. Ordinary readers have none, and pay nothing. Libraries lose bytes when objects are deleted or
//! rewritten, unless the file keeps lists of its free space.

mod free_space;
mod references;
mod survey;

pub use survey::SpaceCount;
