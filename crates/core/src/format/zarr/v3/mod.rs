//! Zarr version 3, with shards.
//!
//! ```text
//! keys ─► read: hierarchy, schema ─► ZarrReader ─► Schema, layouts, inner chunks
//! Schema, plans ─► write: documents ─► ZarrWriter ◄─ chunks
//!
//! both:  extension, data_type, fill_value, codec_chain: parts of `zarr.json`
//!        sharding: the index of a shard       own_facts: facts of netCDF that Zarr has no place for
//! ```
//!
//! One reader and one writer serve versions 2 and 3. What differs is the metadata, and shards.
//!
//! Specification: Zarr core version 3.1, and the registry zarr-extensions.

mod codec_chain;
pub mod data_type;
mod extension;
mod fill_value;
mod own_facts;
mod read;
pub mod sharding;
mod write;

use super::keys::{ARRAY, GROUP, MARKS, NODE, below};
use crate::error::{Error, Result};
use crate::store::KeyStore;
pub use codec_chain::permutation;
pub use read::{UserTypes, open, open_damaged};
pub use write::{check, check_plans, create, warnings};

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
pub fn refuse_mixed_children(store: &dyn KeyStore) -> Result<()> {
    let has = |key: &str| -> Result<bool> {
        let size = store.size(key).map_err(|e| Error::io("cannot read", e))?;
        Ok(size.is_some())
    };
    if has(NODE)? {
        return Ok(());
    }
    let children = store.list_children("").unwrap_or_default();
    let (mut version_2, mut version_3) = (None, None);
    for child in children.iter().filter_map(|name| name.strip_suffix('/')) {
        if has(&below(child, NODE))? {
            version_3 = version_3.or(Some(child));
        } else if has(&below(child, GROUP))? || has(&below(child, ARRAY))? {
            version_2 = version_2.or(Some(child));
        }
        if let (Some(version_2), Some(version_3)) = (version_2, version_3) {
            return Err(Error::Usage(format!(
                "the folder holds Zarr of version 2 ({}) beside Zarr of version 3 ({}), which is not one dataset; name one of them",
                version_2.escape_debug(),
                version_3.escape_debug()
            )));
        }
    }
    Ok(())
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
            store
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
