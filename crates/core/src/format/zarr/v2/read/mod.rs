//! Reading the metadata of version 2.
//!
//! ```text
//! store ─► hierarchy: groups and arrays with their documents ─► schema ─► Built
//!                                                                 ▲
//!     `.zarray` ─► array_metadata ─► element_type ────────────────┘
//!                                      ▲
//!                                    structure: a `dtype` that is a list of fields
//! ```

mod array_metadata;
mod element_type;
mod hierarchy;
mod schema;
mod structure;

use std::sync::Arc;

use crate::error::Result;
use crate::filter::Registry;
use crate::format::Reader;
use crate::format::zarr::keys::CONSOLIDATED;
use crate::format::zarr::options::ZarrOptions;
use crate::format::zarr::read::{MetadataStore, ZarrReader};
use crate::store::KeyStore;

/// Opens a hierarchy. Its metadata comes from `.zmetadata` if there is one and the options prefer it. Arrays and groups whose
/// documents are damaged are left out, and are faults of the schema.
///
/// # Errors
/// Names the key if a document of the root is damaged or missing.
pub fn open(store: &Arc<dyn KeyStore>, options: ZarrOptions, registry: &Registry) -> Result<Box<dyn Reader>> {
    let mut metadata = MetadataStore::open(Arc::clone(store), options.consolidated)?;
    metadata.faults = Some(Vec::new());
    open_from(store, metadata, registry)
}

/// Opens a hierarchy of which no document need be sound. The copy in `.zmetadata` stands for a damaged one.
///
/// # Errors
/// If the store fails.
pub fn open_damaged(
    store: &Arc<dyn KeyStore>,
    options: ZarrOptions,
    registry: &Registry,
) -> Result<Box<dyn Reader>> {
    let mut metadata = MetadataStore::open(Arc::clone(store), options.consolidated)?;
    let damaged = metadata.damaged.take().map(|error| error.to_string());
    metadata.replaced.extend(damaged);
    (metadata.faults, metadata.takes_copies) = (Some(Vec::new()), true);
    open_from(store, metadata, registry)
}

fn open_from(
    store: &Arc<dyn KeyStore>,
    mut metadata: MetadataStore,
    registry: &Registry,
) -> Result<Box<dyn Reader>> {
    let hierarchy = hierarchy::read(&mut metadata)?;
    let mut built = schema::build(hierarchy, metadata.faults.as_mut())?;
    built
        .schema
        .faults
        .extend(metadata.faults.take().into_iter().flatten());
    built.schema.replaced = std::mem::take(&mut metadata.replaced);
    let reader = ZarrReader::of(Arc::clone(store), built, metadata, CONSOLIDATED, registry);
    Ok(Box::new(reader))
}
