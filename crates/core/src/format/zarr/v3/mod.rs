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

use super::keys::{MARKS, NODE, below};
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
