//! Adds to a dataset where it is.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::{self, Growing, VariablePlan, Writer};
use crate::location::{Location, StoreKind};
use crate::model::{Growth, Kind, Schema};
use crate::store::{FileSource, GrowingFile};

impl Location {
    /// True if cells can be added to a dataset of a kind where it is. Otherwise a new dataset takes its place.
    pub fn grows_in_place(&self, kind: Kind) -> bool {
        let is_local = self.path().is_some() && !self.is_standard_input();
        let is_plain = !kind.can().keys || self.store() == StoreKind::Directory;
        is_local && is_plain && kind.can().grows != Growth::Anew
    }

    /// A writer that adds cells to the dataset here. `schema` has their number, and `plans` what is written: see
    /// [`plan_grown`](crate::copy::plan::plan_grown). The caller has the lock of a file.
    ///
    /// # Errors
    /// The location's name, and what cannot grow; the store fails.
    pub fn grow(
        &self,
        schema: &Schema,
        plans: &[VariablePlan],
        registry: &Registry,
    ) -> Result<Box<dyn Writer>> {
        let path = self.local_path()?;
        let output = GrowingFile::open(path).map_err(|e| Error::io("cannot add to it", e));
        let growing = Growing::File {
            old: Arc::new(FileSource::open(path).map_err(self.named())?),
            output: Arc::new(output.map_err(self.named())?),
        };
        format::grow(growing, schema, plans, registry).map_err(self.named())
    }
}
