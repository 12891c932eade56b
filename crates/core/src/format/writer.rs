//! [`Writer`]: a dataset that is being written.

use super::interleaved::RecordBlock;
use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::filter::EncodedChunk;
use crate::model::{Values, VarId};
use crate::store::StoredRange;

/// A dataset that is being written, from many threads at once. [`create`](super::create) makes it.
///
/// Each piece of data of a chunked variable has a sequence number. Sequence numbers count from 0 over the whole dataset,
/// without gaps. Addresses in the file are assigned in the order of sequence numbers, whatever the order of calls, so the same
/// plan always gives the same bytes. A writer may hold early pieces until their turn; the caller bounds how
/// far ahead it runs. No call waits for another sequence number. The chunks of a
/// shard have consecutive sequence numbers, so a writer can append them as they come.
pub trait Writer: Send + Sync {
    /// Writes one encoded chunk of a chunked variable.
    fn write_encoded_chunk(&self, sequence: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()>;

    /// Leaves out a promised chunk that holds only fill values. Takes the place of the call that would write it, with the
    /// same sequence number. Only for variables whose plan says [`VariablePlan::skips_fill`](super::VariablePlan::skips_fill).
    fn skip_chunk(&self, sequence: u64, var: VarId, chunk: u64) -> Result<()> {
        let _ = (sequence, var, chunk);
        Err(Error::Internal("a chunk that cannot be left out".into()))
    }

    /// Writes where an encoded chunk lies, in place of its bytes. Only for kinds that [have references](crate::model::Capabilities::references).
    fn write_reference(&self, sequence: u64, var: VarId, chunk: u64, place: StoredRange) -> Result<()> {
        let _ = (sequence, var, chunk, place);
        Err(Error::Internal("a reference, in a format of chunks".into()))
    }

    /// True if the place of a whole object must tell its length.
    fn needs_lengths(&self) -> bool {
        false
    }

    /// Writes a part of the storage of a contiguous, compact or classic variable, starting at byte `offset`:
    /// elements of the extent in C order without gaps, in the layout's byte order. Needs no sequence number, because
    /// its place is known beforehand.
    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()>;

    /// True if [`Writer::write_records`] can write records of this variable. Such variables are interleaved
    /// in this output, so writing them together saves work.
    fn interleaves(&self, var: VarId) -> bool {
        let _ = var;
        false
    }

    /// Writes consecutive records of several variables, in the layouts' byte order. [`Writer::interleaves`]
    /// is true for each of them. The result equals one [`Writer::write_range`] for each variable.
    fn write_records(&self, records: RecordBlock) -> Result<()> {
        let _ = records;
        Err(Error::Internal("variables that are not interleaved".into()))
    }

    /// Writes elements of a variable whose encoding is `Structured`. For a chunked variable, the region is
    /// exactly one chunk (clipped to the extent); for others, any region that is contiguous in C order. The
    /// format encodes the elements, including heap data and filters.
    fn write_values(&self, sequence: u64, var: VarId, region: &Region, values: Values) -> Result<()>;

    /// Bytes of a variable's values as [`Writer::write_values`] encoded them: after filters, without the data that
    /// elements refer to. Called after the last piece. `None` if the writer does not count them.
    fn stored_values(&self, var: VarId) -> Option<u64> {
        let _ = var;
        None
    }

    /// Completes the file and makes it appear under its name. A writer that is dropped instead leaves
    /// nothing.
    fn finish(self: Box<Self>) -> Result<()>;
}
