//! [`InShards`]: a variable of a hierarchy whose shards are HDF5 files, as it is found.

use super::stored_value::{SIGNATURE, beginning};
use crate::chunk::ChunkGrid;
use crate::error::Result;
use crate::format::Reader;
use crate::model::{VarId, VariableLayout};
use crate::store::KeyStore;

/// A variable whose shards are HDF5 files.
pub struct InShards<'a> {
    /// The variable's path.
    pub path: String,
    /// The grid of shards.
    pub shards: ChunkGrid,
    layout: &'a VariableLayout,
}

impl InShards<'_> {
    /// The key of a shard.
    pub fn key(&self, shard: u64) -> String {
        let key = self.layout.chunk_keys.key(&self.shards.coordinates(shard));
        format!("{}/{key}", self.path.trim_start_matches('/'))
    }
}

/// The shards of a variable, if the first one that exists is an HDF5 file.
///
/// # Errors
/// The store fails.
pub fn in_shards<'a>(
    store: &dyn KeyStore,
    reader: &'a dyn Reader,
    var: VarId,
) -> Result<Option<InShards<'a>>> {
    let layout = reader.layout(var);
    let Some(shard) = &layout.shard else {
        return Ok(None);
    };
    let variable = InShards {
        path: reader.schema().var_path(var),
        shards: ChunkGrid::new(&layout.extent, shard)?,
        layout,
    };
    for n in 0..variable.shards.len() {
        if let Some(first) = beginning(store, &variable.key(n))? {
            return Ok((first == SIGNATURE).then_some(variable));
        }
    }
    Ok(None)
}
