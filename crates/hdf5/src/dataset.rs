//! Properties of a dataset that reader and writer share: shape, filters, fill value, chunk positions.

/// A dataspace (specification section IV.A.2.b): the shape of a dataset or attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dataspace {
    /// No elements at all.
    Null,
    /// One element.
    Scalar,
    /// A hyper-rectangle, slowest dimension first.
    Simple {
        /// Present lengths, in elements.
        dims: Vec<u64>,
        /// Maximum lengths; `None` for an unlimited dimension. Same rank as `dims`.
        max_dims: Vec<Option<u64>>,
    },
}

impl Dataspace {
    /// A shape that cannot grow.
    pub fn fixed(dims: &[u64]) -> Self {
        Self::Simple {
            dims: dims.to_vec(),
            max_dims: dims.iter().copied().map(Some).collect(),
        }
    }

    /// The present shape; empty for scalar and null.
    pub fn dims(&self) -> &[u64] {
        match self {
            Self::Simple { dims, .. } => dims,
            _ => &[],
        }
    }

    /// Number of elements; `None` if it overflows.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Null => Some(0),
            Self::Scalar => Some(1),
            Self::Simple { dims, .. } => {
                if dims.contains(&0) {
                    return Some(0);
                }
                dims.iter().try_fold(1u64, |n, d| n.checked_mul(*d))
            }
        }
    }
}

/// One filter of a pipeline (specification section IV.A.2.l). The first of a pipeline is applied first in writing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Filter {
    /// The registered filter identification number.
    pub id: u16,
    /// Bit 0 of the flags: a chunk that the filter fails on is stored without it.
    pub optional: bool,
    /// The filter's name; empty if the file has none.
    pub name: String,
    /// The client data values, as stored.
    pub parameters: Vec<u32>,
}

/// When space for the raw data is allocated (specification section IV.A.2.f).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationTime {
    /// On creation.
    Early,
    /// When first written.
    Late,
    /// Chunk by chunk.
    Incremental,
}

/// When fill values are written to newly allocated space (specification section IV.A.2.f).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillTime {
    /// On allocation.
    Alloc,
    /// Never.
    Never,
    /// On allocation, if the user set a value.
    IfSet,
}

/// The fill value of a dataset, from the Fill Value or the old Fill Value message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillValue {
    /// When space is allocated.
    pub allocation_time: AllocationTime,
    /// When fill values are written.
    pub fill_time: FillTime,
    /// The value.
    pub value: Fill,
}

/// The fill value itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fill {
    /// Explicitly undefined: elements never written may have any value.
    Undefined,
    /// The library's default: zeros.
    Default,
    /// One element, encoded in the dataset's datatype.
    Defined(Vec<u8>),
}

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
