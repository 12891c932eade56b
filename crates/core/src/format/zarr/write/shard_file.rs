//! Shards that are files of another format at the same time: what that format has to do for it.
//!
//! ```text
//! begin ─► metadata in front ─► place_chunk, in turn ─► place_index ─► finish, on any thread
//! ```
//!
//! Chunks follow the metadata without gaps. The index of the shard is the last thing in the file.

use std::io;
use std::sync::Arc;

use crate::error::Result;
use crate::model::VarId;

/// A format that each shard is a file of.
pub trait ShardFiles: Send + Sync {
    /// Begins the file of a shard of `var`, and writes its metadata.
    ///
    /// # Errors
    /// If the store fails.
    fn begin(&self, var: VarId, bytes: Arc<dyn ShardBytes>) -> Result<Box<dyn ShardFile>>;
}

/// A shard as a file that is being written. It writes neither chunks nor the index of the shard.
pub trait ShardFile: Send + Sync {
    /// The offset of the first chunk.
    fn data_start(&self) -> u64;

    /// Takes the place of a chunk of `size` bytes behind all others, and returns its offset. `chunk` is its number in the shard.
    ///
    /// # Errors
    /// If the format cannot hold it.
    fn place_chunk(&self, chunk: u64, size: u64) -> Result<u64>;

    /// Takes the place of the shard's index behind all chunks, and returns its offset.
    ///
    /// # Errors
    /// If the format cannot hold it.
    fn place_index(&self, size: u64) -> Result<u64>;

    /// Writes what is known only now of the file: the places of its chunks.
    ///
    /// # Errors
    /// If the store fails.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// The bytes of a shard.
pub trait ShardBytes: Send + Sync {
    /// Writes bytes at an offset. Every byte is written once, in any order.
    ///
    /// # Errors
    /// If the store fails.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;
}
