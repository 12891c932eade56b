//! The input that was fetched for a job.

use std::collections::HashMap;

use crate::copy::geometry::InputVariable;
use crate::error::Result;
use crate::format::{EncodedChunk, StoredPlace};
use crate::store::ByteRange;

/// The input that was fetched for a job.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Chunks, with their filter masks; `None` for one that was never written.
    pub chunks: HashMap<(InputVariable, u64), Option<EncodedChunk>>,
    /// Places of chunks that become references.
    pub places: HashMap<(InputVariable, u64), Result<Option<StoredPlace>>>,
    /// The bytes of ranges.
    pub ranges: HashMap<(InputVariable, ByteRange), Vec<u8>>,
    /// The bytes of records.
    pub records: Option<Vec<u8>>,
}

impl Fetched {
    /// A chunk, if it was fetched: `Some(None)` for one that was never written.
    pub fn take_chunk(&mut self, var: InputVariable, chunk: u64) -> Option<Option<EncodedChunk>> {
        // Nothing is fetched of a local file: do not even hash.
        if self.chunks.is_empty() {
            return None;
        }
        self.chunks.remove(&(var, chunk))
    }

    /// The place of a chunk, if it was asked for.
    pub fn take_place(&mut self, var: InputVariable, chunk: u64) -> Option<Result<Option<StoredPlace>>> {
        if self.places.is_empty() {
            return None;
        }
        self.places.remove(&(var, chunk))
    }

    /// The bytes of a range, if it was fetched.
    pub fn take_range(&mut self, var: InputVariable, range: ByteRange) -> Option<Vec<u8>> {
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
