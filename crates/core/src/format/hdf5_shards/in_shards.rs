//! [`InShards`]: a variable of a hierarchy whose shards are HDF5 files, as it is found; whether a hierarchy has such shards.

use super::stored_value::{SIGNATURE, beginning};
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::format::zarr::keys::NODE;
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
    let found = first_shard(store, reader, var)?;
    Ok(found.and_then(|(variable, is_file)| is_file.then_some(variable)))
}

/// True if the shards of a hierarchy are HDF5 files. The first stored shard of any variable decides.
///
/// # Errors
/// The store fails.
pub fn has_hdf5_shards(store: &dyn KeyStore, reader: &dyn Reader) -> Result<bool> {
    // Keys of a repository are none of the hierarchy that it describes.
    let root = store.size(NODE).map_err(|e| Error::io("cannot read", e))?;
    if root.is_none() {
        return Ok(false);
    }
    for n in 0..reader.schema().vars.len() {
        if let Some((_, is_file)) = first_shard(store, reader, VarId(n))? {
            return Ok(is_file);
        }
    }
    Ok(false)
}

/// A variable with stored shards, and whether the first of them is an HDF5 file.
fn first_shard<'a>(
    store: &dyn KeyStore,
    reader: &'a dyn Reader,
    var: VarId,
) -> Result<Option<(InShards<'a>, bool)>> {
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
            return Ok(Some((variable, first == SIGNATURE)));
        }
    }
    Ok(None)
}
