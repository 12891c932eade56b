//! What the Data Layout message says about chunks (specification section IV.A.2.i, layout class 2).

/// The layout of a dataset whose data is stored in chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkedLayout {
    /// The shape of a chunk in elements, slowest dimension first; of the same rank as the dataspace.
    pub shape: Vec<u64>,
    /// The size of one element in bytes.
    pub element_size: u64,
    /// Filters are not applied to chunks that reach past the extent.
    pub edge_chunks_unfiltered: bool,
    /// How the chunks are found.
    pub index: ChunkIndex,
}

/// How the chunks of a dataset are found. Addresses are those of the file, as all here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChunkIndex {
    /// No chunk was written yet.
    Unallocated,
    /// A version 1 B-tree (layout versions 1 to 3).
    BtreeV1 {
        /// Its root node.
        address: u64,
    },
    /// The only chunk.
    Single {
        /// The chunk.
        address: u64,
        /// With filters: size in bytes as stored, and filter mask.
        filtered: Option<(u64, u32)>,
    },
    /// All chunks in a row.
    Implicit {
        /// The first one.
        address: u64,
    },
    /// A fixed array.
    FixedArray {
        /// Its header.
        address: u64,
    },
    /// An extensible array.
    ExtensibleArray {
        /// Its header.
        address: u64,
    },
    /// A version 2 B-tree.
    BtreeV2 {
        /// Its header.
        address: u64,
    },
}
