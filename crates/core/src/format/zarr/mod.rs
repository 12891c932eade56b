//! Zarr version 2, with netCDF's own keys (NCZarr) or without them.
//!
//! ```text
//! keys ─► read: hierarchy, schema ─► ZarrReader ─► Schema, layouts, chunks
//! Schema, plans, chunks ─► write: ZarrWriter ─► keys
//!
//! both:  json ◄─► attributes, dtype, fill_value      keys, chunk_key: names of keys
//! ```
//!
//! Specifications: Zarr version 2, xarray's `_ARRAY_DIMENSIONS`, and NCZarr 2.0.0 as netCDF-C 4.10 writes it. Older
//! forms of NCZarr are read.

mod attributes;
mod chunk_key;
mod dtype;
mod fill_value;
mod flavor;
mod half;
pub mod json;
pub(crate) mod keys;
mod number;
mod options;
mod read;
mod write;

use std::io;
use std::sync::Arc;

use super::{Reader, VariablePlan, Writer};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::model::Schema;
use crate::store::{KeyOutput, KeyStore};
pub use options::ZarrOptions;
pub use read::ZarrReader;
pub use write::{check, check_plans, warnings};

/// The keys that mark a Zarr hierarchy: it has at least one of them at its root.
pub const MARKS: [&str; 4] = [keys::GROUP, keys::ARRAY, keys::CONSOLIDATED, keys::OLD_SUPERBLOCK];

/// True if a store of keys holds a Zarr hierarchy. Its metadata is at the root, or directly below if the writer left out
/// that of the root.
///
/// # Errors
/// If the store cannot be read.
pub fn is_zarr(store: &dyn KeyStore) -> Result<bool> {
    let cannot_read = |e: io::Error| Error::io("cannot read", e);
    let has = |path: &str, names: &[&str]| -> Result<bool> {
        for name in names {
            if store
                .size(&keys::below(path, name))
                .map_err(cannot_read)?
                .is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    };
    if has("", &MARKS)? {
        return Ok(true);
    }
    let children = match store.list_children("") {
        Ok(children) => children,
        Err(e) if e.kind() == io::ErrorKind::Unsupported => return Ok(false),
        Err(e) => return Err(cannot_read(e)),
    };
    for child in children.iter().filter_map(|name| name.strip_suffix('/')) {
        if has(child, &[keys::ARRAY, keys::GROUP])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Opens a hierarchy.
///
/// # Errors
/// Names the key that is damaged or missing.
pub fn open(store: &Arc<dyn KeyStore>, options: ZarrOptions, registry: &Registry) -> Result<Box<dyn Reader>> {
    let reader = ZarrReader::open(Arc::clone(store), options.consolidated, registry)?;
    Ok(Box::new(reader))
}

/// Creates a hierarchy.
///
/// # Errors
/// What Zarr cannot hold, or why the store fails.
pub fn create(
    output: Arc<dyn KeyOutput>,
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<Box<dyn Writer>> {
    Ok(Box::new(write::ZarrWriter::create(
        output, schema, plans, options,
    )?))
}
