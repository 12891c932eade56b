//! [`KeySizes`]: the bytes of all keys of a hierarchy, by what they belong to.

use crate::model::VarId;

/// The sizes of all keys.
pub(super) struct KeySizes {
    /// Of each array: the numbers of the chunks or shards that exist, ascending, each with its bytes.
    pub(super) arrays: Vec<Vec<(u64, u64)>>,
    /// Bytes of documents.
    pub(super) documents: u64,
    /// Bytes of keys below the documents of arrays that are left out.
    pub(super) left_out: u64,
    /// Bytes of keys that belong to no array and are no documents.
    pub(super) others: u64,
    /// Bytes of the file that holds all keys, if there is one.
    pub(super) container: Option<u64>,
}

impl KeySizes {
    /// Bytes of a chunk of an array without shards.
    pub(super) fn of_chunk(&self, var: VarId, chunk: u64) -> Option<u64> {
        let chunks = self.arrays.get(var.0)?;
        let at = chunks.binary_search_by_key(&chunk, |(number, _)| *number).ok()?;
        Some(chunks[at].1)
    }
}
