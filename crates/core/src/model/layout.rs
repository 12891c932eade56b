//! How a variable is stored.

use super::{CodecSpec, Values};

/// The byte order of numbers in storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// The shape of storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// Inside the metadata.
    Compact,
    /// One piece (in classic files: also one piece a record).
    Contiguous,
    /// Pieces of equal shape.
    Chunked {
        /// The shape of one, as many lengths as the variable has dimensions.
        shape: Vec<u64>,
    },
}

/// What the decoded bytes of storage are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Numbers of `unit` bytes each in the layout's byte order (an element may be several, as in no case today), or,
    /// with a `unit` of 1, bytes that have no order.
    Numbers {
        /// Bytes of one number.
        unit: usize,
    },
    /// A compound or opaque without heap data, exactly as [`Values`] lays it out.
    Packed,
    /// Anything else: must be read with `read_region` and written with `write_values`.
    Structured,
}

/// When fill values are written to new storage, as HDF5 has it.
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

/// What reads where nothing was written. The default is what HDF5 has where nobody says anything: no value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fill {
    /// One element; `None` where none is defined (storage holds zeros).
    pub value: Option<Values>,
    /// Whether the value was set by the user or library, rather than left at the format's default.
    pub explicit: bool,
    /// Whether the file says that there is no fill value at all (netCDF's no-fill mode; ncdump's `_NoFill`).
    pub no_fill: bool,
    /// When it is written.
    pub time: FillTime,
}

/// How a variable is stored. Two variables whose layouts have equal storage, element size, encoding (not
/// `Structured`), endian (where a unit is over one byte) and filters can exchange encoded chunks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VariableLayout {
    /// Contiguous, compact or chunked.
    pub storage: Storage,
    /// The variable's own lengths, slowest first: in a dimension that is unlimited it may be shorter than the dimension.
    pub extent: Vec<u64>,
    /// Bytes of one element in decoded storage.
    pub element_size: usize,
    /// What those bytes are.
    pub encoding: Encoding,
    /// The byte order of numbers.
    pub endian: Endian,
    /// The codecs of each chunk, in the order in which writing applies them; empty unless chunked.
    pub filters: Vec<CodecSpec>,
    /// How chunks are stored that reach past the extent.
    pub edges: EdgeChunks,
    /// The shape of a shard in elements, a multiple of the chunk's in each dimension; `None` where chunks are stored one
    /// by one. The chunks of a shard are stored together, as one object.
    pub shard: Option<Vec<u64>>,
    /// What reads where nothing was written.
    pub fill: Fill,
}

/// How chunks are stored that reach past the extent of their variable. Whether codecs were applied to a chunk is told chunk
/// by chunk, by its filter mask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EdgeChunks {
    /// In the shape of all others. What lies past the extent may be anything.
    #[default]
    Full,
    /// Only the elements within the extent.
    Clipped,
}

impl VariableLayout {
    /// One piece of `extent`, of little-endian numbers or bytes, without a fill value.
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
            fill: Fill::default(),
        }
    }

    /// The same in chunks of `shape`.
    #[must_use]
    pub fn in_chunks(mut self, shape: Vec<u64>) -> Self {
        self.storage = Storage::Chunked { shape };
        self
    }

    /// The same with numbers in another byte order.
    #[must_use]
    pub fn with_endian(mut self, endian: Endian) -> Self {
        self.endian = endian;
        self
    }

    /// The same with a fill value.
    #[must_use]
    pub fn with_fill(mut self, fill: Fill) -> Self {
        self.fill = fill;
        self
    }

    /// The shape in which the chunk is stored that holds the elements of `region`, a chunk's region clipped to the extent.
    pub fn stored_shape<'a>(&'a self, region_count: &'a [u64]) -> &'a [u64] {
        match self.edges {
            EdgeChunks::Full => self.chunk_shape(),
            EdgeChunks::Clipped => region_count,
        }
    }

    /// The shape of one chunk: that of the storage, or the whole extent where it is not chunked.
    pub fn chunk_shape(&self) -> &[u64] {
        match &self.storage {
            Storage::Chunked { shape } => shape,
            _ => &self.extent,
        }
    }
}
