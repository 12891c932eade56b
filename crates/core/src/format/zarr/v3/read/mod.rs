//! Reading the metadata of version 3.
//!
//! ```text
//! store ─► hierarchy: groups and arrays ─► node: members of `zarr.json` ─► schema ─► Built
//!                                                                            ▲
//!                                                                      netcdf_type: of data types
//! ```

mod hierarchy;
mod netcdf_type;
mod node;
mod schema;

use std::sync::Arc;

use super::super::keys::NODE;
use super::super::options::ZarrOptions;
use super::super::read::{MetadataStore, ZarrReader};
use crate::error::Result;
use crate::filter::Registry;
use crate::format::Reader;
use crate::store::KeyStore;

/// Opens a hierarchy.
///
/// # Errors
/// Names the key that is damaged or missing.
pub fn open(store: &Arc<dyn KeyStore>, options: ZarrOptions, registry: &Registry) -> Result<Box<dyn Reader>> {
    let metadata = MetadataStore::open_v3(Arc::clone(store), options.consolidated)?;
    open_from(store, metadata, options, registry)
}

/// Opens a hierarchy whose documents may be damaged. Without the root's document, the root group has no attributes.
///
/// # Errors
/// If the store fails.
pub fn open_damaged(
    store: &Arc<dyn KeyStore>,
    options: ZarrOptions,
    registry: &Registry,
) -> Result<Box<dyn Reader>> {
    let mut metadata = MetadataStore::open_v3(Arc::clone(store), options.consolidated)?;
    // The root is read again, and then its fault is told.
    metadata.damaged = None;
    (metadata.faults, metadata.takes_copies) = (Some(Vec::new()), true);
    open_from(store, metadata, options, registry)
}

fn open_from(
    store: &Arc<dyn KeyStore>,
    mut metadata: MetadataStore,
    options: ZarrOptions,
    registry: &Registry,
) -> Result<Box<dyn Reader>> {
    let hierarchy = hierarchy::read(&mut metadata)?;
    let built = schema::build(hierarchy, options)?;
    let reader = ZarrReader::of(Arc::clone(store), built, metadata, NODE, registry);
    Ok(Box::new(reader))
}
