//! Opens a hierarchy of version 2, sound or damaged.

use std::sync::Arc;

use super::metadata::hierarchy;
use super::metadata::metadata_store::MetadataStore;
use super::metadata::schema;
use super::reader::ZarrReader;
use crate::error::Result;
use crate::filter::Registry;
use crate::format::zarr::keys::CONSOLIDATED;
use crate::store::KeyStore;

impl ZarrReader {
    /// Opens a hierarchy. With `prefer_consolidated`, its metadata comes from `.zmetadata` if there is one. Arrays and groups whose
    /// documents are damaged are left out, and are faults of the schema.
    ///
    /// # Errors
    /// Names the key if a document of the root is damaged or missing.
    pub fn open(store: Arc<dyn KeyStore>, prefer_consolidated: bool, registry: &Registry) -> Result<Self> {
        let mut metadata = MetadataStore::open(Arc::clone(&store), prefer_consolidated)?;
        metadata.faults = Some(Vec::new());
        Self::of_version_2(store, metadata, registry)
    }

    /// Opens a hierarchy of which no document need be sound. The copy in `.zmetadata` stands for a damaged one.
    ///
    /// # Errors
    /// If the store fails.
    pub fn open_damaged(store: Arc<dyn KeyStore>, consolidated: bool, registry: &Registry) -> Result<Self> {
        let mut metadata = MetadataStore::open(Arc::clone(&store), consolidated)?;
        let damaged = metadata.damaged.take().map(|error| error.to_string());
        metadata.replaced.extend(damaged);
        (metadata.faults, metadata.takes_copies) = (Some(Vec::new()), true);
        Self::of_version_2(store, metadata, registry)
    }

    fn of_version_2(
        store: Arc<dyn KeyStore>,
        mut metadata: MetadataStore,
        registry: &Registry,
    ) -> Result<Self> {
        let hierarchy = hierarchy::read(&mut metadata)?;
        let mut built = schema::build(hierarchy, metadata.faults.as_mut())?;
        built
            .schema
            .faults
            .extend(metadata.faults.take().into_iter().flatten());
        built.schema.replaced = std::mem::take(&mut metadata.replaced);
        Ok(Self::of(store, built, metadata, CONSOLIDATED, registry))
    }
}
