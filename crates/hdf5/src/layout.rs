//! Where a dataset's raw data is (specification section IV.A.2.i).

use crate::chunk_index::ChunkedLayout;

/// The most bytes of data that compact storage holds: a message of an object header has at most 65,535 bytes (section
/// IV.A.1.b), of which the Data Layout message takes four for version, class and size.
pub const MAX_COMPACT_BYTES: u64 = u16::MAX as u64 - 4;

/// The layout of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// In the object header: the bytes of all elements, or none where nothing was ever written.
    Compact(Vec<u8>),
    /// In one block.
    Contiguous {
        /// Address of the block in the file, which [`File::read_at`](crate::File::read_at) takes; `None` where it was never
        /// allocated.
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
