//! Chunks that lie in shards.
//!
//! ```text
//! chunk ─► sharded_chunks: key of its shard ─► index, which opened_shards keeps ─► ShardBytes: where the chunk is
//! ```

mod opened_shards;
pub(super) mod shard_bytes;
pub(super) mod sharded_chunks;
