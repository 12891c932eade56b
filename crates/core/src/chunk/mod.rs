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
mod shards;

pub use copy::{Axis, copy_region, copy_strided, swap_units};
pub use fill::{fill_pattern, resize, too_large};
pub use grid::{ChunkGrid, ChunksIn};
pub use region::Region;
#[cfg(test)]
pub(crate) use region::region;
pub use selection::Selection;
pub use shards::chunks_of_shard;

/// Highest number of dimensions: HDF5's limit. (netCDF itself allows 1024.)
pub const MAX_RANK: usize = 32;

/// Number of elements in an array of this shape: 1 for a scalar, whose shape is empty. `None` on overflow.
pub fn element_count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d))
}

/// Size in bytes of an array of this shape in memory. `None` if no buffer can be that large.
pub fn byte_count(shape: &[u64], element_size: usize) -> Option<usize> {
    element_count(shape)?
        .checked_mul(u64::try_from(element_size).ok()?)
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| isize::try_from(*n).is_ok())
}
