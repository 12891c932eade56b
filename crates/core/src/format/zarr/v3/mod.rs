//! Zarr version 3, with shards.
//!
//! ```text
//! keys ─► read: hierarchy, schema ─► ZarrReader ─► Schema, layouts, inner chunks
//! Schema, plans ─► write: check, documents ─► ZarrWriter ◄─ chunks
//!
//! both:  extension, data_type, fill_value, codec_chain: parts of `zarr.json`
//!        node_error: why a node is left out       number_words: NaN and infinities in JSON
//!        sharding: the index of a shard       own_facts: facts of netCDF that Zarr has no place for
//! ```
//!
//! The [reader](super::read) and the [writer](super::write) serve both versions. What differs is the metadata, and shards,
//! whose indexes they take from `sharding`.
//!
//! Specification: Zarr core version 3.1, and the registry zarr-extensions.

mod codec_chain;
mod data_type;
mod extension;
mod fill_value;
mod node_error;
mod number_words;
mod own_facts;
mod read;
pub mod sharding;
mod typed_attribute;
mod write;

use std::sync::Arc;

use super::keys::{ARRAY, GROUP, MARKS, NODE, below};
use crate::error::{Error, Result};
use crate::store::{ByteRange, Get, GetRange, KeyStore, awaited};
pub use read::{open, open_damaged};
pub use write::{check, check_plans, create, documents, unheld, warnings};

/// True if a store has a node of version 3 at its root, or directly below it if the writer left out the root and wrote no
/// metadata of version 2 there.
///
/// # Errors
/// If the store cannot be read.
pub fn is_v3(store: &dyn KeyStore) -> Result<bool> {
    let has = |key: &str| -> Result<bool> {
        let size = store.size(key).map_err(|e| Error::io("cannot read", e))?;
        Ok(size.is_some())
    };
    if has(NODE)? {
        return Ok(true);
    }
    for mark in MARKS {
        if has(mark)? {
            return Ok(false);
        }
    }
    // A store that cannot be listed has a root.
    let children = store.list_children("").unwrap_or_default();
    for child in children.iter().filter_map(|name| name.strip_suffix('/')) {
        if has(&below(child, NODE))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Refuses a folder without metadata of its own that holds nodes of version 2 beside nodes of version 3, as reading one version
/// would drop the others.
///
/// # Errors
/// Names a node of each version. If the store cannot be read.
pub fn refuse_mixed_children(store: &Arc<dyn KeyStore>) -> Result<()> {
    if are_there(store, &[""], NODE)?.contains(&true) {
        return Ok(());
    }
    let names = store.list_children("").unwrap_or_default();
    let children: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix('/')).collect();
    let is_node = are_there(store, &children, NODE)?;
    let of = |children: &[&str], is: &[bool]| {
        let mut found = children.iter().zip(is).filter(|(_, is)| **is);
        found.next().map(|(child, _)| child.escape_debug().to_string())
    };
    let Some(version_3) = of(&children, &is_node) else {
        return Ok(());
    };
    let others: Vec<&str> = children
        .iter()
        .zip(&is_node)
        .filter(|(_, is)| !**is)
        .map(|(child, _)| *child)
        .collect();
    for mark in [GROUP, ARRAY] {
        if let Some(version_2) = of(&others, &are_there(store, &others, mark)?) {
            return Err(Error::Usage(format!(
                "the folder holds Zarr of version 2 ({version_2}) beside Zarr of version 3 ({version_3}), which is not one dataset; name one of them"
            )));
        }
    }
    Ok(())
}

/// Which of these folders have a key of this name. A slow store is asked for all at once.
fn are_there(store: &Arc<dyn KeyStore>, folders: &[&str], name: &str) -> Result<Vec<bool>> {
    let get = |folder: &&str| Get {
        key: below(folder, name),
        part: GetRange::Range(ByteRange { offset: 0, length: 1 }),
    };
    let gets = folders.iter().map(get).collect();
    let found = awaited(|done| Arc::clone(store).fetch(gets, done));
    let found = found.unwrap_or_else(|| Err(std::io::Error::other("a store gave no answer")));
    let found = found.map_err(|e| Error::io("cannot read", e))?;
    Ok(found.iter().map(Option::is_some).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{KeyOutput, MemoryKeys};

    #[test]
    fn children_of_both_versions_are_no_dataset() {
        let store = |keys: &[&str]| {
            let store = MemoryKeys::new();
            let output = store.output();
            for key in keys {
                output.put(key, b"{}").unwrap();
            }
            output.publish().unwrap();
            Arc::new(store) as Arc<dyn KeyStore>
        };
        let both = store(&["old/.zgroup", "new/zarr.json", "notes/readme"]);
        let error = refuse_mixed_children(&both).unwrap_err().to_string();
        assert!(
            error.contains("version 2 (old) beside Zarr of version 3 (new)"),
            "{error}"
        );
        for fine in [
            &["zarr.json", "old/.zarray"][..],
            &["new/zarr.json", "other/zarr.json"],
            &["old/.zarray", "other/.zgroup"],
        ] {
            refuse_mixed_children(&store(fine)).unwrap();
        }
    }
}
