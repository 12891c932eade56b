//! [`ChunkedLayout`]: chunk shape and index of a dataset (specification section IV.A.2.i, layout class 2).

/// The layout of a dataset whose data is stored in chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkedLayout {
    /// Shape of a chunk in elements, slowest dimension first. Same rank as the dataspace.
    pub shape: Vec<u64>,
    /// Size of an element, in bytes.
    pub element_size: u64,
    /// True if chunks that extend past the extent are stored without filters.
    pub edge_chunks_unfiltered: bool,
    /// The index of the chunks.
    pub index: ChunkIndex,
    /// How the index was made.
    pub(crate) creation: IndexCreation,
}

impl ChunkedLayout {
    /// Size of a chunk before filters, in bytes; `None` if it overflows.
    pub(crate) fn chunk_size(&self) -> Option<u64> {
        self.shape
            .iter()
            .try_fold(self.element_size, |size, length| size.checked_mul(*length))
    }
}

/// What the Data Layout message says of an index, and the index's header says too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct IndexCreation {
    /// True if sizes of filtered chunks are as wide as lengths, as from version 5 of the message on.
    pub(crate) has_wide_sizes: bool,
    /// The creation parameters, as stored. Those of a fixed array take one byte, and those of an extensible array five.
    pub(crate) parameters: [u8; 6],
}

/// The index of a dataset's chunks. Addresses are the file's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChunkIndex {
    /// No index: no chunk was written yet.
    Unallocated,
    /// A version 1 B-tree (layout versions 1 to 3).
    BtreeV1 {
        /// Address of the root node.
        address: u64,
    },
    /// A single chunk.
    Single {
        /// Address of the chunk.
        address: u64,
        /// With filters: stored size in bytes, and filter mask.
        filtered: Option<(u64, u32)>,
    },
    /// All chunks, stored contiguously.
    Implicit {
        /// Address of the first chunk.
        address: u64,
    },
    /// A fixed array.
    FixedArray {
        /// Address of the header.
        address: u64,
    },
    /// An extensible array.
    ExtensibleArray {
        /// Address of the header.
        address: u64,
    },
    /// A version 2 B-tree.
    BtreeV2 {
        /// Address of the header.
        address: u64,
    },
}
