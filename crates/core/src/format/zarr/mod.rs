//! Zarr version 2, with netCDF's own keys (NCZarr) or without them.
//!
//! ```text
//! keys ─► hierarchy ─► metadata of groups and arrays ─► Schema, layouts ─► ZarrReader
//! Schema, plans ─► ZarrWriter ─► chunks, then metadata ─► keys
//! ```

#[allow(dead_code, unused_imports, reason = "the reader and the writer are to come")]
mod attributes;
#[allow(dead_code, reason = "the reader and the writer are to come")]
mod dtype;
#[allow(dead_code, reason = "the reader and the writer are to come")]
mod fill_value;
#[allow(dead_code, reason = "the reader and the writer are to come")]
mod flavor;
#[allow(dead_code, reason = "the reader and the writer are to come")]
mod half;
#[allow(dead_code, unused_imports, reason = "the reader and the writer are to come")]
mod json;
#[allow(dead_code, reason = "the reader and the writer are to come")]
mod number;
mod options;

use std::sync::Arc;

use super::{Reader, VariablePlan, Writer};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::model::Schema;
use crate::store::{KeyOutput, KeyStore};
pub use options::ZarrOptions;

/// True if a store of keys holds a Zarr hierarchy.
///
/// # Errors
/// If the store cannot be read.
pub fn is_zarr(store: &dyn KeyStore) -> Result<bool> {
    let _ = store;
    Ok(false)
}

/// Opens a hierarchy.
///
/// # Errors
/// Names the key that is damaged or missing.
pub fn open(store: &Arc<dyn KeyStore>, registry: &Registry) -> Result<Box<dyn Reader>> {
    let _ = (store, registry);
    Err(Error::UnknownFormat)
}

/// Checks that a dataset can be stored as Zarr.
///
/// # Errors
/// Names the item that Zarr cannot hold.
pub fn check(schema: &Schema) -> Result<()> {
    let _ = schema;
    Ok(())
}

/// Checks what [`create`] checks of the plans.
///
/// # Errors
/// Names the variable that cannot be stored as planned.
pub fn check_plans(schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    let _ = plans;
    check(schema)
}

/// Creates a hierarchy.
///
/// # Errors
/// What Zarr cannot hold, or why the store fails.
pub fn create(
    output: Arc<dyn KeyOutput>,
    schema: &Schema,
    plans: &[VariablePlan],
) -> Result<Box<dyn Writer>> {
    let _ = (output, plans);
    Err(Error::Unsupported(format!("writing {}", schema.kind.name())))
}
