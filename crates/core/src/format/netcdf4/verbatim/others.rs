//! Datasets that a copy of HDF5 as it is makes without the engine.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use ncutils_hdf5::{Dataspace, Layout, ObjectKind};

use super::copy::Verbatim;
use super::empty::EmptyPart;
use crate::error::Result;
use crate::format::Reader;
use crate::model::{Storage, VariableLayout};

/// A dataset that no plan tells of.
#[derive(Debug, Clone)]
pub struct OtherDataset {
    /// Path from the root group, without the leading `/`.
    pub path: String,
    /// True if its elements are copied, one after another, as they hold addresses. Else its header is all that is copied.
    pub has_data: bool,
    /// How its elements are stored, in one word.
    pub storage: &'static str,
    /// Its layout, if its elements are in the file.
    pub layout: Option<VariableLayout>,
}

impl Verbatim {
    /// The datasets that are no variables of the [reader](Self::reader): those whose elements hold addresses, which
    /// `addressed` reads or a part of them, and those without elements of their own.
    ///
    /// # Errors
    /// A dataset is damaged.
    pub fn others(&self, addressed: &dyn Reader) -> Result<Vec<OtherDataset>> {
        let file = &self.file.file;
        let datasets = self.hierarchy.items.iter();
        let others = datasets.filter(|item| item.kind == ObjectKind::Dataset && item.var.is_none());
        others
            .map(|item| {
                let path = self.hierarchy.path(item);
                let dataset = file.object(item.address).and_then(|object| file.dataset(&object));
                let dataset = dataset.map_err(|error| hdf5_error(error).in_variable(&path))?;
                let layout = item.addressed.map(|var| addressed.layout(var).clone());
                let storage = match (&dataset.layout, layout.as_ref().map(|layout| &layout.storage)) {
                    (_, Some(Storage::Chunked { .. })) | (Layout::Chunked(_), None) => "chunked",
                    (Layout::Virtual { .. }, _) => "virtual",
                    (Layout::External(_), _) => "external",
                    _ if dataset.dataspace == Dataspace::Null => "null",
                    (Layout::Compact(_), _) => "compact",
                    _ => "contiguous",
                };
                Ok(OtherDataset {
                    path: path.trim_start_matches('/').to_owned(),
                    has_data: item.addressed.is_some() && !self.hierarchy.is_without_data(item),
                    storage,
                    layout,
                })
            })
            .collect()
    }
    /// The part of the dataset without elements at an address: see [`EmptyPart`]. `cut` makes its lengths of the numbers and lengths of
    /// dimensions. `None` if the dataset has elements, or they would lie elsewhere.
    ///
    /// # Errors
    /// The dataset is damaged.
    pub fn empty_part(&self, address: u64, cut: impl Fn((usize, u64)) -> u64) -> Result<Option<EmptyPart>> {
        let file = &self.file.file;
        let dataset = file.object(address).and_then(|object| file.dataset(&object));
        Ok(EmptyPart::of(&dataset.map_err(hdf5_error)?, cut))
    }
}
