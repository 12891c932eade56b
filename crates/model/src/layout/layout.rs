//! The storage of a variable.

use crate::{ChunkKeys, CodecSpec, Endian, Values};

/// The arrangement of a variable's elements in storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// Inside the metadata.
    Compact,
    /// One contiguous piece. In classic files a record variable has one such piece per record.
    Contiguous,
    /// Chunks of equal shape.
    Chunked {
        /// The shape of one chunk, one length per dimension of the variable.
        shape: Vec<u64>,
    },
    /// Blocks of equal length of the elements in C order, each compressed by itself. Readers give ranges of such a variable, as
    /// of a contiguous one.
    Blocks {
        /// Bytes of one block.
        bytes: u64,
    },
}

/// The form of decoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Numbers of `unit` bytes each, in the layout's byte order. A `unit` of 1 means bytes without an order.
    Numbers {
        /// Bytes of one number.
        unit: usize,
    },
    /// A compound or opaque type without heap data, exactly as [`Values`] lays it out.
    Packed,
    /// Anything else: it must be read with `read_region` and written with `write_values`.
    Structured,
}

/// When HDF5 writes fill values to new storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum FillTime {
    /// When storage is allocated.
    Alloc,
    /// Never.
    Never,
    /// When storage is allocated, if a value was set.
    #[default]
    IfSet,
}

/// The value of elements that were never written. The default is HDF5's: no value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fill {
    /// The value, one element; `None` if none is defined (storage holds zeros).
    pub value: Option<Values>,
    /// True if a user or library set the value. False if it is the format's default.
    pub explicit: bool,
    /// True if the file says that there is no fill value (netCDF's no-fill mode; ncdump's `_NoFill`).
    pub no_fill: bool,
    /// When the value is written to storage.
    pub time: FillTime,
    /// When space is allocated; `None` where the format does not say, or says what its writers say by default for the
    /// storage.
    pub allocation: Option<AllocationTime>,
    /// What the format says of the value.
    pub state: FillState,
    /// True if text that was never written is the empty string, as is that of HDF5's strings of a fixed size. Unwritten strings
    /// of netCDF are NIL.
    pub empty_text: bool,
}

/// When HDF5 allocates the space of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AllocationTime {
    /// When the variable is created.
    Early,
    /// When something is first written.
    Late,
    /// Chunk by chunk.
    Incremental,
}

/// What a format says of a fill value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum FillState {
    /// Nothing.
    #[default]
    Unknown,
    /// The format's own default counts.
    Default,
    /// Elements that were never written are undefined.
    Undefined,
    /// A value is stored.
    Defined,
}

/// The storage of a variable. Two variables can exchange encoded chunks if their layouts have equal storage,
/// element size, encoding (not `Structured`), byte order (if a unit is longer than one byte) and filters.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableLayout {
    /// Contiguous, compact or chunked.
    pub storage: Storage,
    /// The variable's own lengths, slowest dimension first. Along an unlimited dimension it may be shorter
    /// than the dimension.
    pub extent: Vec<u64>,
    /// Bytes of one element in decoded storage.
    pub element_size: usize,
    /// The form of those bytes.
    pub encoding: Encoding,
    /// The byte order of numbers.
    pub endian: Endian,
    /// The codecs of each chunk, in the order in which writing applies them. Empty unless chunked.
    pub filters: Vec<CodecSpec>,
    /// Number of the first filters that work on elements, before these become bytes, where the format tells it. `None`: each
    /// codec tells.
    pub array_codecs: Option<usize>,
    /// How chunks that reach past the extent are stored.
    pub edges: EdgeChunks,
    /// Shape of a shard in elements, a multiple of the chunk's in each dimension. The chunks of a shard are
    /// stored together, as one object. `None` if chunks are stored one by one.
    pub shard: Option<Vec<u64>>,
    /// The place of the index in a shard.
    pub shard_index: IndexLocation,
    /// The form of the keys of chunks or shards, where the format lets a writer choose.
    pub chunk_keys: ChunkKeys,
    /// Bytes that each string takes in storage, if all strings of the variable take the same number. Shorter strings are
    /// padded. `None` for variables of other types, and where each string has its own length.
    pub string_length: Option<u64>,
    /// The value of elements that were never written.
    pub fill: Fill,
}

/// The place of the index in a shard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum IndexLocation {
    /// Before the chunks.
    Start,
    /// Behind the chunks.
    #[default]
    End,
}

/// How chunks that reach past the extent of their variable are stored. The filter mask of each chunk tells
/// whether codecs were applied to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EdgeChunks {
    /// In the full chunk shape. Elements past the extent are arbitrary.
    #[default]
    Full,
    /// Only the elements within the extent.
    Clipped,
}

impl VariableLayout {
    /// A contiguous layout of `extent`, with little-endian numbers or bytes, and without a fill value.
    pub fn contiguous(extent: Vec<u64>, element_size: usize, encoding: Encoding) -> Self {
        Self {
            storage: Storage::Contiguous,
            extent,
            element_size,
            encoding,
            endian: Endian::Little,
            filters: Vec::new(),
            edges: EdgeChunks::Full,
            shard: None,
            shard_index: IndexLocation::End,
            chunk_keys: ChunkKeys::DEFAULT,
            array_codecs: None,
            string_length: None,
            fill: Fill::default(),
        }
    }

    /// The same layout with chunks of `shape`.
    #[must_use]
    pub fn in_chunks(mut self, shape: Vec<u64>) -> Self {
        self.storage = Storage::Chunked { shape };
        self
    }

    /// The same layout with another byte order.
    #[must_use]
    pub fn with_endian(mut self, endian: Endian) -> Self {
        self.endian = endian;
        self
    }

    /// The same layout with a fill value.
    #[must_use]
    pub fn with_fill(mut self, fill: Fill) -> Self {
        self.fill = fill;
        self
    }

    /// Bytes of one element in storage, where strings may take a fixed number.
    pub fn stored_size(&self) -> usize {
        let fixed = self.string_length.and_then(|length| usize::try_from(length).ok());
        fixed.unwrap_or(self.element_size)
    }

    /// The shape in which a chunk is stored. `region_count` is the shape of the chunk's region, clipped to
    /// the extent.
    pub fn stored_shape<'a>(&'a self, region_count: &'a [u64]) -> &'a [u64] {
        match self.edges {
            EdgeChunks::Full => self.chunk_shape(),
            EdgeChunks::Clipped => region_count,
        }
    }

    /// The shape of one chunk, or the whole extent if the variable is not chunked.
    pub fn chunk_shape(&self) -> &[u64] {
        match &self.storage {
            Storage::Chunked { shape } => shape,
            _ => &self.extent,
        }
    }
}
