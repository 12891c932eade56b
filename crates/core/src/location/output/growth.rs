//! Adds to a dataset where it is.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::{self, Growing, VariablePlan, Writer, zarr};
use crate::location::{Location, StoreKind};
use crate::model::{Growth, Kind, Schema};
use crate::store::{DirectoryKeys, FileSource, GrowingFile, GrowingFolder, HeldLock, KeyStore};

/// A dataset that this process alone may add to, until the value is dropped.
pub enum GrowthLock {
    /// The lock of a file.
    File(HeldLock),
    /// The mark of a folder of keys.
    Folder(Arc<GrowingFolder>),
    /// The dataset is written anew.
    None,
}

impl Location {
    /// True if cells can be added to a dataset of a kind where it is. Otherwise a new dataset takes its place.
    pub fn grows_in_place(&self, kind: Kind) -> bool {
        let is_local = self.path().is_some() && !self.is_standard_input();
        let is_plain = !kind.can().keys || self.store() == StoreKind::Directory;
        is_local && is_plain && kind.can().grows != Growth::Anew
    }

    /// Keeps others from adding to the dataset here. What a killed run has added to a folder of keys is undone.
    ///
    /// # Errors
    /// The location's name; another program has the lock of the file, or adds to the folder; the store fails.
    pub fn lock_for_growth(&self) -> Result<GrowthLock> {
        let Some(path) = self.path().filter(|_| !self.is_standard_input()) else {
            return Ok(GrowthLock::None);
        };
        let cannot = |e| self.named()(Error::io("cannot add to it", e));
        if path.is_file() {
            return HeldLock::take(path).map(GrowthLock::File).map_err(cannot);
        }
        if !path.is_dir() || !Self::is_dataset_folder(path) {
            return Ok(GrowthLock::None);
        }
        let (folder, note) = GrowingFolder::open(path).map_err(cannot)?;
        if !note.is_empty() {
            let store: Arc<dyn KeyStore> = Arc::new(DirectoryKeys::of(path).map_err(cannot)?);
            zarr::undo(&store, &folder, &note).map_err(self.named())?;
        }
        Ok(GrowthLock::Folder(Arc::new(folder)))
    }

    /// A writer that adds cells to the dataset here. `schema` has their number, and `plans` what is written: see
    /// [`plan_grown`](crate::copy::plan::plan_grown).
    ///
    /// # Errors
    /// The location's name, and what cannot grow; the store fails.
    pub fn grow(
        &self,
        lock: &GrowthLock,
        schema: &Schema,
        plans: &[VariablePlan],
        registry: &Registry,
    ) -> Result<Box<dyn Writer>> {
        let path = self.local_path()?;
        let cannot = |e| self.named()(Error::io("cannot add to it", e));
        let growing = match lock {
            GrowthLock::Folder(output) => Growing::Folder {
                old: Arc::new(DirectoryKeys::of(path).map_err(cannot)?),
                output: Arc::clone(output),
            },
            GrowthLock::File(_) | GrowthLock::None => Growing::File {
                old: Arc::new(FileSource::open(path).map_err(self.named())?),
                output: Arc::new(GrowingFile::open(path).map_err(cannot)?),
            },
        };
        format::grow(growing, schema, plans, registry).map_err(self.named())
    }
}
