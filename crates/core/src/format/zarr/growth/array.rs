//! [`Array`]: an array that grows, and its chunks behind the old shape.

use std::io;
use std::sync::Arc;

use crate::chunk::ChunkGrid;
use crate::error::Result;
use crate::format::zarr::json::Json;
use crate::model::{ChunkKeys, KeySeparator, VariableLayout};
use crate::store::{GrowingKeys, KeyStore};

/// An array that grows.
pub(super) struct Array {
    old: Vec<u64>,
    grid: ChunkGrid,
    keys: ChunkKeys,
}

impl Array {
    /// An array of this shape that gets the extent of its layout.
    ///
    /// # Errors
    /// A layout without chunks.
    pub(super) fn new(old: &[u64], layout: &VariableLayout) -> Result<Self> {
        let chunk = layout.shard.as_deref().unwrap_or(layout.chunk_shape());
        Ok(Self {
            old: old.to_vec(),
            grid: ChunkGrid::new(&layout.extent, chunk)?,
            keys: layout.chunk_keys,
        })
    }

    /// An array that a note tells.
    pub(super) fn parse(json: &Json) -> Option<Self> {
        let lengths = |name: &str| -> Option<Vec<u64>> {
            json.get(name)?.as_array()?.iter().map(Json::as_u64).collect()
        };
        let (old, new) = (lengths("old")?, lengths("new")?);
        let grid = ChunkGrid::new(&new, &lengths("chunk")?).ok()?;
        (old.len() == new.len()).then_some(Self {
            old,
            grid,
            keys: ChunkKeys {
                begin_with_c: json.get("c")?.as_bool()?,
                separator: match json.get("separator")?.as_str()? {
                    "/" => KeySeparator::Slash,
                    _ => KeySeparator::Dot,
                },
            },
        })
    }

    /// Removes the chunks that have no cell of the old shape, which would be seen when the array is longer.
    pub(super) fn remove_new(
        &self,
        store: &Arc<dyn KeyStore>,
        output: &dyn GrowingKeys,
        path: &str,
    ) -> io::Result<()> {
        let prefix = match path {
            "" => String::new(),
            path => format!("{path}/"),
        };
        for key in store.list(&prefix)? {
            let rest = key.strip_prefix(&prefix).unwrap_or(&key);
            let Some(chunk) = self.keys.chunk(rest, &self.grid) else {
                continue;
            };
            let at = self.grid.coordinates(chunk);
            let is_behind = |d: usize| at[d].saturating_mul(self.grid.chunk()[d]) >= self.old[d];
            if (0..at.len()).any(is_behind) {
                output.remove(&key)?;
            }
        }
        Ok(())
    }
}
