//! Shards: the chunks of a box of the grid, stored as one value with an index.
//!
//! ```text
//! location end:    chunk, chunk, …, index          location start:  index, chunk, chunk, …
//! ```
//!
//! Zarr version 3, the codec `sharding_indexed`.

pub mod index;
mod level;

pub use index::{ENTRY, IndexCodecs, LARGEST_INDEX, MOST_CHUNKS, ShardIndex};
pub use level::Level;
