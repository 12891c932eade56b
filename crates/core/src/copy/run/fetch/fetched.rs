//! The input that was fetched for a job.

use std::collections::HashMap;

use crate::format::EncodedChunk;
use crate::model::VarId;
use crate::store::ByteRange;

/// The input that was fetched for a job.
#[derive(Debug, Default)]
pub struct Fetched {
    pub chunks: HashMap<(VarId, u64), Option<EncodedChunk>>,
    pub ranges: HashMap<(VarId, ByteRange), Vec<u8>>,
    pub records: Option<Vec<u8>>,
}

impl Fetched {
    /// A chunk, if it was fetched: `Some(None)` for one that was never written.
    pub fn take_chunk(&mut self, var: VarId, chunk: u64) -> Option<Option<EncodedChunk>> {
        // Nothing is fetched of a local file: do not even hash.
        if self.chunks.is_empty() {
            return None;
        }
        self.chunks.remove(&(var, chunk))
    }

    /// The bytes of a range, if it was fetched.
    pub fn take_range(&mut self, var: VarId, range: ByteRange) -> Option<Vec<u8>> {
        if self.ranges.is_empty() {
            return None;
        }
        self.ranges.remove(&(var, range))
    }

    /// The bytes of records, if they were fetched.
    pub fn take_records(&mut self) -> Option<Vec<u8>> {
        self.records.take()
    }
}
