//! Bands: record variables that are copied together, record by record.
//!
//! If the input interleaves its record variables, copying them one after another reads every record once per
//! variable. A band is a group of such variables whose slabs lie close together. It is copied in **runs** of
//! records:
//!
//! ```text
//!          a   b   c    d   e
//! record 0 ├── band ──┤ ├ band ┤   a run of the first band becomes chunks of a, then chunks of b, then chunks of c
//! record 1 │          │ │      │
//!    …
//! ```
//!
//! Sequence numbers count by band, run, variable and chunk. So bands and runs must not depend on
//! threads or memory. With little memory, a job takes only some of a band's variables.

use std::ops::Range;

use crate::format::RecordSlab;

/// Record variables that are copied together.
#[derive(Debug, Clone)]
pub struct Band {
    /// The records that are copied. The first is at the begin of a run.
    pub records: Range<u64>,
    /// Bytes of a whole record of the input. The band may be only a part of it.
    pub record_size: u64,
    /// Number of records in a run; the last run may be shorter. A multiple of every member's `chunk`.
    pub run: u64,
    /// Sequence number of the band's first chunk.
    pub first_sequence: u64,
    /// The variables, by ascending offset.
    pub members: Vec<Member>,
}

/// One variable of a band.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Position of the variable in the copy's list.
    pub variable: usize,
    /// Position of the variable in the input's records.
    pub slab: RecordSlab,
    /// Records in a chunk; 1 where the output is contiguous.
    pub chunk: u64,
    /// Number of chunks in one layer of the first dimension; 0 where the output is contiguous.
    pub across: u64,
}

impl Member {
    /// Number of chunks that hold `records` records. The first of them starts a chunk.
    pub fn chunks(&self, records: u64) -> u64 {
        records.div_ceil(self.chunk).saturating_mul(self.across)
    }

    /// End of its slab in a record.
    pub fn end(&self) -> u64 {
        self.slab.offset + self.slab.length
    }
}

impl Band {
    /// True if the output is contiguous, so that all records are passed on.
    pub fn passes_on(&self) -> bool {
        self.members.iter().all(|member| member.across == 0)
    }

    /// Number of chunks, each of which has a sequence number.
    pub fn pieces(&self) -> u64 {
        let all = |records| self.members.iter().map(|m| m.chunks(records)).sum::<u64>();
        let records = self.records.end - self.records.start;
        let runs = records / self.run;
        all(self.run)
            .saturating_mul(runs)
            .saturating_add(all(records % self.run))
    }
}
