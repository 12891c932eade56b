//! Sources of a virtual dataset that are opened without a trace in what is known of it: no warning tells of them.

use std::sync::Arc;

use super::source::find_source::SourceFiles;
use super::virtual_data::{SourceDataset, Sources, VirtualData};
use crate::error::Result;
use crate::format::netcdf4::read::object::links::OpenFile;

impl VirtualData {
    /// The file of the virtual dataset.
    pub fn file(&self) -> &OpenFile {
        &self.file
    }

    /// The sources of this dataset's input, of which none is open.
    pub fn sources_apart(&self) -> Sources {
        let Sources { files, open } = &self.sources_of_input;
        Sources {
            files: Arc::new(SourceFiles::new(files.registry().clone())),
            open: *open,
        }
    }

    /// The dataset `path` of the file `name`, opened among `sources`. `None` if it is missing.
    ///
    /// # Errors
    /// It may not be read, or is damaged.
    pub fn source_apart(&self, sources: &Sources, name: &str, path: &str) -> Result<Option<SourceDataset>> {
        sources.find(&self.file, name, path, &self.trail.apart())
    }
}
