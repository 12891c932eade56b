//! [`ChunkRecord`]: position and size of a stored chunk.

/// Position and size of a stored chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkRecord {
    /// The chunk's number in C order over the grid of chunks that covers the present extent.
    pub index: u64,
    /// Address in the file, for [`File::read_at`](crate::File::read_at).
    pub address: u64,
    /// Stored size, in bytes, after filters.
    pub size: u64,
    /// Bit i set: filter i of the pipeline was not applied.
    pub filter_mask: u32,
}
