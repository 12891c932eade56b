//! Geometry of chunks: which elements a chunk holds, which chunks a region meets, and how elements move
//! between row-major buffers. This module knows no file format and reads nothing.
//!
//! ```text
//! extent, chunk shape ─► ChunkGrid ── number ◄─► coordinates ─► Region (clipped to the extent)
//!                                          Region ∩ Region ─► copy_region: buffer ─► buffer
//! ```

mod copy;
mod fill;
mod grid;
mod region;
mod selection;
mod shape;
mod shards;

pub use copy::{Axis, copy_region, copy_strided, swap_units};
pub use fill::{fill_pattern, resize, too_large};
pub use grid::{ChunkGrid, ChunksIn};
pub use region::Region;
pub use selection::Selection;
pub use shape::{MAX_RANK, byte_count, common_divisor, element_count};
pub use shards::chunks_of_shard;
