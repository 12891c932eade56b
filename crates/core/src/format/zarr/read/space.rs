//! Counts the bytes of a hierarchy by the sizes of its keys.
//!
//! ```text
//! one list of all keys ─┬─► chunks and shards of each array
//!                       ├─► documents of metadata
//!                       └─► keys that no array has
//! ```

use std::collections::HashSet;
use std::io;

use super::key_sizes::KeySizes;
use super::listed::ChunkNames;
use super::metadata::metadata_store::cannot_read;
use super::reader::ZarrReader;
use super::shards::sharded_chunks::Shards;
use crate::error::Result;
use crate::format::zarr::keys::{
    ARRAY, ATTRIBUTES, CONSOLIDATED, GROUP, NODE, OLD_ARRAY, OLD_GROUP, OLD_SUPERBLOCK, OLD_TYPES,
};
use crate::format::{Space, SpaceSurvey, VariableSpace};
use crate::model::{GroupId, VarId};

/// The names of all documents of metadata.
const DOCUMENTS: [&str; 9] = [
    ARRAY,
    ATTRIBUTES,
    CONSOLIDATED,
    GROUP,
    NODE,
    OLD_ARRAY,
    OLD_GROUP,
    OLD_SUPERBLOCK,
    OLD_TYPES,
];

impl ZarrReader {
    /// The sizes of all keys; `None` if the store cannot list them. The first call lists them.
    pub(super) fn key_sizes(&self) -> Result<Option<&KeySizes>> {
        if self.sizes.get().is_none() {
            let counted = self.count_keys()?;
            let _ = self.sizes.set(counted);
        }
        Ok(self.sizes.get().and_then(Option::as_ref))
    }

    fn count_keys(&self) -> Result<Option<KeySizes>> {
        let keys = match self.store.list_sizes("") {
            Ok(keys) => keys,
            Err(e) if e.kind() == io::ErrorKind::Unsupported => return Ok(None),
            Err(e) => return Err(cannot_read(e)),
        };
        let mut has_owner = vec![false; keys.len()];
        let mut arrays = Vec::with_capacity(self.arrays.len());
        for (n, array) in self.arrays.iter().enumerate() {
            let prefix = match array.path.as_str() {
                "" => String::new(),
                path => format!("{path}/"),
            };
            let grid = self.grid(VarId(n))?;
            let grid = self.shards[n].as_ref().map_or(&grid, Shards::grid);
            let from = keys.partition_point(|(key, _)| *key < prefix);
            let below = keys[from..].iter().enumerate();
            let below = below.map_while(|(at, (key, _))| Some((key.strip_prefix(&prefix)?, from + at)));
            let mut names = ChunkNames::new(array.keys, grid);
            below.for_each(|(name, at)| names.add(name, at));
            let (_, chunks) = names.finish();
            for (_, at) in &chunks {
                has_owner[*at] = true;
            }
            arrays.push(
                chunks
                    .into_iter()
                    .map(|(number, at)| (number, keys[at].1))
                    .collect(),
            );
        }
        let mut counted = KeySizes {
            arrays,
            documents: 0,
            left_out: 0,
            others: 0,
            container: self.store.container_size().map_err(cannot_read)?,
        };
        let left_out = self.left_out(&keys);
        for ((key, size), _) in keys.iter().zip(&has_owner).filter(|(_, has_owner)| !**has_owner) {
            let (_, name) = split(key);
            let sum = match DOCUMENTS.contains(&name) {
                true => &mut counted.documents,
                false if is_below(key, &left_out) => &mut counted.left_out,
                false => &mut counted.others,
            };
            *sum = sum.saturating_add(*size);
        }
        Ok(Some(counted))
    }

    /// The folders with a document of an array that is no variable.
    fn left_out<'k>(&self, keys: &'k [(String, u64)]) -> HashSet<&'k str> {
        let arrays: HashSet<&str> = self.arrays.iter().map(|array| array.path.as_str()).collect();
        let groups = (0..self.schema.groups.len()).map(|n| self.schema.group_path(GroupId(n)));
        let groups: HashSet<String> = groups.map(|path| path.trim_matches('/').to_owned()).collect();
        let documents = keys.iter().map(|(key, _)| split(key));
        documents
            .filter(|(folder, name)| match *name {
                ARRAY => !arrays.contains(folder),
                NODE => !arrays.contains(folder) && !groups.contains(*folder),
                _ => false,
            })
            .map(|(folder, _)| folder)
            .collect()
    }
}

/// The folder and the name of a key.
fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('/').unwrap_or(("", key))
}

/// True if a key lies below one of the folders.
fn is_below(key: &str, folders: &HashSet<&str>) -> bool {
    let mut ends = key.rmatch_indices('/');
    ends.any(|(end, _)| folders.contains(&key[..end]))
}

impl SpaceSurvey for ZarrReader {
    /// What a zip file has around its values counts as metadata.
    fn space(&self) -> Result<Space> {
        let Some(sizes) = self.key_sizes()? else {
            return Ok(Space {
                variables: vec![VariableSpace::default(); self.arrays.len()],
                ..Space::default()
            });
        };
        let of_array = |(n, pieces): (usize, &Vec<(u64, u64)>)| {
            let bytes = pieces.iter().map(|(_, size)| *size);
            let count = Some(pieces.len() as u64);
            let has_shards = self.shards[n].is_some();
            VariableSpace {
                chunks: count.filter(|_| !has_shards),
                shards: count.filter(|_| has_shards),
                ..VariableSpace::one_piece(bytes.fold(0, u64::saturating_add))
            }
        };
        let mut space = Space {
            variables: sizes.arrays.iter().enumerate().map(of_array).collect(),
            others: Some(sizes.left_out),
            unused: Some(sizes.others),
            ..Space::default()
        };
        let values = [space.data().unwrap_or(0), sizes.left_out, sizes.others];
        let values = values.into_iter().fold(0, u64::saturating_add);
        let total = sizes.container.unwrap_or(values.saturating_add(sizes.documents));
        space.total = Some(total);
        space.metadata = Some(total.saturating_sub(values));
        Ok(space)
    }
}
