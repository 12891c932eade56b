//! Where a dataset's raw data is (specification section IV.A.2.i).

use crate::chunk_index::ChunkedLayout;

/// The layout of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// In the object header: the bytes of all elements, or none where nothing was ever written.
    Compact(Vec<u8>),
    /// In one block.
    Contiguous {
        /// File-relative address of the block; `None` where it was never allocated.
        address: Option<u64>,
        /// Bytes of all elements of the present extent.
        size: u64,
    },
    /// In chunks of equal shape.
    Chunked(ChunkedLayout),
    /// In other datasets.
    Virtual,
    /// In other files, as plain bytes.
    External,
}
