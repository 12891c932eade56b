//! The attributes that say how a variable is stored: `_Storage`, `_ChunkSizes`, `_DeflateLevel` and their like.

/// What they ask for.
#[derive(Debug, Clone, Default)]
pub struct StorageAttributes {}
