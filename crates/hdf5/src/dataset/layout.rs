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
    /// In other datasets, which the [mappings](crate::File::virtual_mappings) tell.
    Virtual {
        /// Address of the global heap collection that holds the mappings; `None` if there are no mappings.
        collection: Option<u64>,
        /// Index of the mappings in that collection.
        index: u32,
    },
    /// In other files, as plain bytes: all segments one after another.
    External(Vec<ExternalSegment>),
}

/// The messages that say where the raw data of a dataset is, as its file has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageMessages {
    /// The body of the Data Layout message.
    pub layout: Vec<u8>,
    /// The body of the External Data Files message (section IV.A.2.h), if there is one.
    pub external_files: Option<Vec<u8>>,
}

/// A part of an external file that holds raw data (specification section IV.A.2.h).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalSegment {
    /// The file's name, as stored.
    pub file: String,
    /// Position of the first byte in the file.
    pub offset: u64,
    /// Size in bytes; `None` if the segment has no end.
    pub size: Option<u64>,
}
