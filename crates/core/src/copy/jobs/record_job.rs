//! The part of a band that one job copies.

use std::ops::Range;

use crate::copy::task::{Band, Member, Variable};

/// About how many bytes are read and transposed at once, so that they stay in a processor's cache.
pub const TRANSPOSED: u64 = 256 << 10;

/// Whole records are read if a part leaves out at most this many bytes of each. One long read is faster than
/// many short ones.
const SLACK: u64 = 64;

/// The part of a band that one job copies.
pub struct RecordJob<'e> {
    pub band: &'e Band,
    /// All variables of the copy.
    pub variables: &'e [Variable],
    /// Positions of its variables among the band's members.
    pub members: Range<usize>,
    /// Its records.
    pub records: Range<u64>,
    /// Sequence number of the part's first chunk.
    pub first_sequence: u64,
}

impl<'e> RecordJob<'e> {
    /// The members of the band that the job copies.
    pub fn members(&self) -> &'e [Member] {
        &self.band.members[self.members.clone()]
    }

    /// The first variable of the part.
    pub fn variable(&self) -> &'e Variable {
        &self.variables[self.band.members[self.members.start].variable]
    }

    /// The range of bytes in each record that is read.
    pub fn bytes(&self) -> Range<u64> {
        span(self.band, self.members())
    }

    /// The records that the part reads.
    pub fn input(&self) -> RecordPart {
        RecordPart {
            first: self.records.start,
            count: self.count(),
            part: self.bytes(),
        }
    }

    /// True if the part's cost counts the records as read.
    pub fn cost_counts_input(&self) -> bool {
        self.members().iter().all(|member| member.across == 0)
    }

    /// Number of records.
    pub fn count(&self) -> u64 {
        self.records.end - self.records.start
    }
}

/// The range of bytes in each record that holds these members.
pub fn span(band: &Band, members: &[Member]) -> Range<u64> {
    let (Some(first), Some(last)) = (members.first(), members.last()) else {
        return 0..0;
    };
    let span = first.slab.offset..last.slab.offset + last.slab.length;
    if band.record_size - (span.end - span.start) <= SLACK {
        return 0..band.record_size;
    }
    span
}

/// The same part of consecutive records.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordPart {
    /// The first record.
    pub first: u64,
    /// Number of records.
    pub count: u64,
    /// The bytes of each record.
    pub part: Range<u64>,
}
