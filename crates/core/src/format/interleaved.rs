//! Interleaved record variables, as classic files have them: they lie side by side, record by record.
//!
//! ```text
//!           │◄────────── record size ──────────►│
//! record 0: │ slab of a │ pad │ slab of b │ … │ record 1: │ slab of a │ pad │ slab of b │ …
//!           0                 └── offset of b
//! ```
//!
//! Copying one variable after another would read or write such a file once per variable. [`RecordLayout`]
//! gives the positions of the slabs, so that a copy can move whole records.

use crate::model::VarId;

/// The positions of a dataset's interleaved record variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLayout {
    /// Number of records. Every slab of every record can be read.
    pub records: u64,
    /// Bytes from the start of one record to the next.
    pub record_size: u64,
    /// The slabs of a record, by ascending offset. They do not overlap. The bytes between them are padding.
    pub slabs: Vec<RecordSlab>,
}

/// The elements of one variable in a record, in C order without gaps, in the layout's byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordSlab {
    /// The variable.
    pub var: VarId,
    /// Offset of the slab in bytes, from the start of the record or of the part of it in memory.
    pub offset: u64,
    /// Length of the slab in bytes; more than 0.
    pub length: u64,
}

/// Consecutive records of several variables, in memory.
#[derive(Debug, Clone, Copy)]
pub struct RecordBlock<'a> {
    /// Number of the first record.
    pub first: u64,
    /// Bytes from the start of one record to the next in `data`.
    pub stride: usize,
    /// Positions of the slabs in a record, by ascending offset. The last one ends within the stride.
    pub slabs: &'a [RecordSlab],
    /// The records: a multiple of `stride` bytes. Bytes that no slab covers are ignored.
    pub data: &'a [u8],
}

impl RecordBlock<'_> {
    /// Number of records.
    pub fn count(&self) -> u64 {
        (self.data.len() / self.stride.max(1)) as u64
    }
}
