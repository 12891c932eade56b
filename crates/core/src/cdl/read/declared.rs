//! What the first pass over a CDL text finds: everything but the values of variables.

use crate::model::{Kind, Schema};

use super::data_list::DataList;
use super::storage_attributes::StorageAttributes;
use super::text::Diagnostic;

/// A CDL text's declarations, and where its data lists are.
#[derive(Debug, Clone)]
pub struct Declared {
    /// The schema. The lengths of unlimited dimensions are those that the data lists need. Its kind is `format`, or
    /// netCDF-4 where the text does not say: which kind a file gets is decided by whoever writes it.
    pub schema: Schema,
    /// For each variable of the schema: how it is to be stored.
    pub storage: Vec<StorageAttributes>,
    /// The kind that the global attribute `_Format` asks for.
    pub format: Option<Kind>,
    /// For each variable of the schema: its last data statement, where it has one.
    pub lists: Vec<Option<DataList>>,
    /// What was odd but taken.
    pub warnings: Vec<Diagnostic>,
    /// The name of the dataset: what stands between `netcdf` and `{`.
    pub name: String,
}
