//! Writing netCDF-4 files that netcdf-c reads like its own.
//!
//! ```text
//! Schema, plans ─► check ─► tree: groups ─► links: types, scales, variables, groups
//!                                 dimensions ─► CLASS, NAME, REFERENCE_LIST, DIMENSION_LIST, _Netcdf4Dimid …
//!                                 datatypes, attributes, dataset (layout, fill)
//!                                      │
//!                                  objects ─► hdf5::FileWriter
//!                                                   ▲
//! sequence numbers ─► reorder window ─► elements (heap) ─► filters ─► addresses in order
//! ```

mod attributes;
mod check;
mod dataset;
mod datatypes;
mod dimensions;
mod elements;
mod external;
mod tree;
mod writer;

pub(super) use dataset::filters;
pub(super) use external::segments;
pub(in crate::format) use tree::{DatasetTree, ObjectTree};
pub(in crate::format) use writer::Netcdf4Writer;
pub(super) use writer::pages;

use std::sync::Arc;

use crate::error::Result;
use crate::format::{VariablePlan, Writer};
use crate::model::Schema;
use crate::store::{Output, RawFiles};

/// Checks that a netCDF-4 file can hold a dataset.
///
/// # Errors
/// Names the item that it cannot hold.
pub fn check(schema: &Schema) -> Result<()> {
    check::schema(schema)
}

/// Checks that a netCDF-4 file can hold a dataset that is stored as planned.
///
/// # Errors
/// The errors of [`create`] that do not depend on the output.
pub fn check_plans(schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    check::schema(schema)?;
    check::plans(schema, plans)?;
    tree::ObjectTree::new(schema, plans).map(|_| ())
}

/// Creates a netCDF-4 file, and the raw data of variables in the files `raw`. It is restricted to the classic model if the schema's kind says so.
///
/// # Errors
/// Names the item that such a file cannot hold. Otherwise the errors of the output.
pub fn create(
    output: Arc<dyn Output>,
    raw: Option<&Arc<RawFiles>>,
    schema: &Schema,
    plans: &[VariablePlan],
) -> Result<Box<dyn Writer>> {
    check::schema(schema)?;
    check::plans(schema, plans)?;
    let tree = tree::ObjectTree::new(schema, plans)?;
    Ok(Box::new(writer::Netcdf4Writer::create(
        output, raw, schema, plans, &tree,
    )?))
}
