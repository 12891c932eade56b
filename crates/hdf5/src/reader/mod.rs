//! Reading a file: objects, links and data.
//!
//! ```text
//! OpenOptions ─► File ─► path ─► Object ─► Dataset ─► elements: StoredChunks, or values of a Number
//!                  └─ prefetch: metadata of many objects at once   damage: what is left of a truncated file
//!                                                            recovery: what no link leads to any more
//!                space: bytes of the file that nothing refers to   growth: how a writer may add to it
//! ```
//!
//! Structures are read by [`metadata`](crate::metadata).

mod damage;
mod dataset;
mod elements;
mod file;
mod growth;
mod number;
mod object;
mod options;
mod path;
mod prefetch;
mod recovery;
mod space;

pub use damage::Tolerated;
pub use dataset::Dataset;
pub use elements::StoredChunk;
pub use file::File;
pub use number::Number;
pub use object::{Object, ObjectKind};
pub use options::OpenOptions;
pub use path::Followed;
pub use recovery::Recovered;
pub use space::SpaceCount;
