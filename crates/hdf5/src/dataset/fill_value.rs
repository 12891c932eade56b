//! [`FillValue`]: what elements that were never written read as (specification section IV.A.2.f).

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
