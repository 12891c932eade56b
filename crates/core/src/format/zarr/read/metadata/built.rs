//! What reading the metadata makes, in both versions.

use crate::format::zarr::read::elements::Elements;
use crate::format::zarr::v3::sharding::Level;
use crate::model::{ChunkKeys, CodecSpec, Schema, VariableLayout};

/// What the reader must know of a variable besides its layout.
#[derive(Debug)]
pub struct StoredArray {
    /// Path of its array, without a leading `/`.
    pub path: String,
    /// The form of the keys of its chunks or shards, if the metadata tells.
    pub keys: Option<ChunkKeys>,
    /// The shards around a chunk, the outermost first; none without shards.
    pub levels: Vec<Level>,
    /// How elements are stored.
    pub elements: Elements,
    /// The codec that stores strings of different lengths, as the metadata has it.
    pub element_codec: Option<CodecSpec>,
}

/// A schema, with the layout and the array of each variable.
pub struct Built {
    pub schema: Schema,
    pub layouts: Vec<VariableLayout>,
    pub arrays: Vec<StoredArray>,
}
