//! Where the data of each variable lies.

use std::sync::Arc;

use ncutils_hdf5::{Dataset, Layout};

use crate::format::netcdf4::read::datatype::convert::Conversion;
use crate::format::netcdf4::read::layout::external::ExternalData;
use crate::format::netcdf4::read::object::links::OpenFile;
use crate::format::netcdf4::read::virtual_dataset::VirtualVariable;
use crate::model::SharedLayout;

/// The storage of a variable, which the schema does not describe.
pub struct StoredVariable {
    /// Index of its file.
    pub file: usize,
    /// Address of its dataset in the file.
    pub object: u64,
    /// The place of its data.
    pub data: StoredData,
    /// How it is stored.
    pub layout: SharedLayout,
    /// How its elements become values, where they are [`Encoding::Structured`].
    pub conversion: Option<Box<Conversion>>,
}

/// The place of a variable's data. For a dataset without chunks nothing else is kept, because there may be
/// very many.
pub enum StoredData {
    /// No data is stored.
    None,
    /// In the object header.
    Compact(Box<[u8]>),
    /// In one block.
    Contiguous {
        /// Address of the block in the file.
        address: u64,
        /// Size of the block in bytes.
        size: u64,
    },
    /// In chunks. The dataset gives the place of their index.
    Chunked(Arc<Dataset>),
    /// In other files.
    External(Box<ExternalData>),
    /// In other datasets.
    Virtual(Box<VirtualVariable>),
}

impl StoredData {
    /// The place of a dataset's data. That of a virtual dataset is not known here.
    pub fn of(dataset: &Arc<Dataset>, file: &OpenFile) -> Self {
        match &dataset.layout {
            Layout::Compact(data) => Self::Compact(data.as_slice().into()),
            Layout::Contiguous {
                address: Some(address),
                size,
            } => Self::Contiguous {
                address: *address,
                size: *size,
            },
            Layout::Chunked(_) => Self::Chunked(Arc::clone(dataset)),
            Layout::External(segments) => {
                Self::External(Box::new(ExternalData::new(segments, file.external_files.clone())))
            }
            _ => Self::None,
        }
    }
}
