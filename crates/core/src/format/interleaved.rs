//! Record variables that lie side by side, record by record, as classic files have them.
//!
//! ```text
//!           │◄────────── record size ──────────►│
//! record 0: │ slab of a │ pad │ slab of b │ … │ record 1: │ slab of a │ pad │ slab of b │ …
//!           0                 └── offset of b
//! ```
//!
//! A copy that takes one variable after another reads or writes such a file once for every variable. [`RecordLayout`] tells
//! where the slabs are, so that a copy can move whole records.

use crate::model::VarId;

/// How the record variables of a dataset are interleaved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLayout {
    /// How many records there are. Every slab of every record can be read.
    pub records: u64,
    /// Bytes from one record to the next.
    pub record_size: u64,
    /// The slabs of a record, by ascending offset. They do not overlap. Bytes between them are padding.
    pub slabs: Vec<RecordSlab>,
}

/// The part of one variable in a record: its elements in C order without gaps, in the layout's byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordSlab {
    /// The variable.
    pub var: VarId,
    /// Bytes from the beginning of the record (or of the part of it that is in hand) to the slab.
    pub offset: u64,
    /// Bytes of the slab; more than 0.
    pub length: u64,
}

/// Consecutive records of several variables, in memory.
#[derive(Debug, Clone, Copy)]
pub struct RecordBlock<'a> {
    /// The number of the first record.
    pub first: u64,
    /// Bytes from one record to the next in `data`.
    pub stride: usize,
    /// Where the slabs of a record are, by ascending offset. The last one ends within the stride.
    pub slabs: &'a [RecordSlab],
    /// The records: a whole number of strides. Bytes that no slab covers mean nothing.
    pub data: &'a [u8],
}

impl RecordBlock<'_> {
    /// How many records there are.
    pub fn count(&self) -> u64 {
        (self.data.len() / self.stride.max(1)) as u64
    }
}
