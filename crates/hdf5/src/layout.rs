//! The position of a dataset's raw data (specification section IV.A.2.i).

use crate::chunk_index::ChunkedLayout;

/// Maximum size of compact data, in bytes. A message has at most 65,535 bytes (section IV.A.1.b), of which the Data
/// Layout message needs four for version, class and size.
pub const MAX_COMPACT_BYTES: u64 = u16::MAX as u64 - 4;

/// The layout of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// In the object header: the bytes of all elements, or empty if nothing was ever written.
    Compact(Vec<u8>),
    /// In one contiguous block.
    Contiguous {
        /// Address of the block, for [`File::read_at`](crate::File::read_at); `None` if it was never allocated.
        address: Option<u64>,
        /// Size of all elements of the present extent, in bytes.
        size: u64,
    },
    /// In chunks of equal shape.
    Chunked(ChunkedLayout),
    /// In other datasets.
    Virtual,
    /// In other files, as plain bytes.
    External,
}
