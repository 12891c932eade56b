//! Chunks that lie in shards.
//!
//! ```text
//! chunk ─► sharded_chunks: key of its shard ─► index, which index_cache keeps ─► ShardBytes: where the chunk is
//! ```

mod index_cache;
pub(super) mod shard_bytes;
pub(super) mod sharded_chunks;
