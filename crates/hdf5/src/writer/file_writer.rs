//! The writer itself.

use std::sync::Arc;

use super::spec::{FileTree, ObjectId};
use crate::{ByteSink, Error, Result};

/// Writes one file. Metadata is laid out by [`create`](Self::create), data follows in any order from any thread.
pub struct FileWriter {
    sink: Arc<dyn ByteSink>,
}

fn unsupported<T>() -> Result<T> {
    Err(Error::Unsupported("writing HDF5".into()))
}

impl FileWriter {
    /// Plans the file. Nothing is written yet.
    pub fn create(sink: Arc<dyn ByteSink>, _tree: FileTree) -> Result<FileWriter> {
        let _writer = FileWriter { sink };
        unsupported()
    }

    /// Writes part of a contiguous or compact dataset, at a byte offset in its data. From any thread, in any order.
    pub fn write_storage(&self, _dataset: ObjectId, _offset: u64, _bytes: &[u8]) -> Result<()> {
        unsupported()
    }

    /// Writes at an address that [`reserve_chunk`](Self::reserve_chunk) gave. From any thread, in any order.
    pub fn write_at(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.sink
            .write_all_at(address, bytes)
            .map_err(|source| Error::Io {
                what: "chunk",
                offset: address,
                source,
            })
    }

    /// Hands out the address of a chunk: its number in C order over the grid that covers the present extent, its size in
    /// bytes as stored, and the filters that were skipped. Addresses follow the order of calls.
    pub fn reserve_chunk(
        &self,
        _dataset: ObjectId,
        _chunk: u64,
        _size: u64,
        _filter_mask: u32,
    ) -> Result<u64> {
        unsupported()
    }

    /// Puts the payloads of variable-length elements into the global heap and gives the 12 bytes (address of the
    /// collection, index in it) that follow the length in each element. Addresses follow the order of calls.
    pub fn insert_sequences(&self, _payloads: &[&[u8]]) -> Result<Vec<[u8; 12]>> {
        unsupported()
    }

    /// Writes indexes, headers and last of all the superblock, and sets the size of the file.
    pub fn finish(self) -> Result<()> {
        unsupported()
    }
}
