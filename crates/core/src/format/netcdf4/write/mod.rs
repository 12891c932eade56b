//! Writing netCDF-4 files, such as netcdf-c takes for its own.
//!
//! ```text
//! Schema, plans ─► check ─► tree: groups ─► links: types, scales, variables, groups
//!                                 dimensions ─► CLASS, NAME, REFERENCE_LIST, DIMENSION_LIST, _Netcdf4Dimid …
//!                                 datatypes, attributes, dataset (layout, fill)
//!                                      │
//!                                  objects ─► hdf5::FileWriter
//!                                                   ▲
//! tickets ─► reorder window ─► elements (heap) ─► filters ─► addresses in order
//! ```

mod attributes;
mod check;
mod dataset;
mod datatypes;
mod dimensions;
mod elements;
mod tree;
mod writer;

use std::sync::Arc;

use crate::error::Result;
use crate::format::{VariablePlan, Writer};
use crate::model::Schema;
use crate::store::Output;

/// Whether a netCDF-4 file can hold a dataset.
///
/// # Errors
/// Names what it cannot hold.
pub fn check(schema: &Schema) -> Result<()> {
    check::schema(schema)
}

/// Whether a netCDF-4 file can hold a dataset that is stored as planned.
///
/// # Errors
/// Those of [`create`] that have nothing to do with the output.
pub fn check_plans(schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    check::schema(schema)?;
    check::plans(schema, plans)?;
    tree::Tree::new(schema, plans).map(|_| ())
}

/// Begins a netCDF-4 file, held to the classic model where the schema's kind says so.
///
/// # Errors
/// What such a file cannot hold, naming the item; and whatever the output refuses.
pub fn create(output: Arc<dyn Output>, schema: &Schema, plans: &[VariablePlan]) -> Result<Box<dyn Writer>> {
    check::schema(schema)?;
    check::plans(schema, plans)?;
    let tree = tree::Tree::new(schema, plans)?;
    Ok(Box::new(writer::Netcdf4Writer::create(
        output, schema, plans, &tree,
    )?))
}
