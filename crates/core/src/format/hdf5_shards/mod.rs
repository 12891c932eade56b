//! Zarr version 3 whose shards are HDF5 files, and a netCDF-4 file of them all.
//!
//! ```text
//! out.zarr/zarr.json, v/zarr.json …          Zarr reads these, and the shards as shards
//! out.zarr/v/c/0/1                           a shard: HDF5 metadata │ chunks │ index of the shard
//! out.zarr/out.nc                            netCDF reads this: variables are virtual datasets of the shards
//!
//! pieces ─► DualWriter ─┬─► ZarrWriter ─► shards ─► ShardHeaders: HDF5 around each
//!                       └─► Netcdf4Writer: what has no shards
//! ```
//!
//! Every chunk is stored once. Its address in the HDF5 file is its offset in the shard.
//!
//! Written: `writer` by `variable_form` (which variables), `shared_codecs` (what both formats have), `shard_schema` and `shard_headers`,
//! `value_output`, `dataset_file`. Read: `dataset_side`, `in_shards`. Checked: `check`, `check_mappings`, `stored_value`.

mod check;
mod check_mappings;
mod dataset_file;
mod dataset_side;
mod in_shards;
mod names;
mod shard_headers;
mod shard_schema;
mod shared_codecs;
mod stored_value;
mod value_output;
mod variable_form;
mod writer;

use std::ffi::OsStr;
use std::sync::Arc;

pub use check::check;
use dataset_file::DatasetFile;
pub use dataset_side::{DatasetSide, is_dataset_file};
pub use in_shards::has_hdf5_shards;
pub use names::ENDING as DATASET_FILE_ENDING;
use shard_headers::ShardHeaders;
pub use shared_codecs::hdf5_filters as filters_of_hdf5_shards;
use value_output::ValueOutput;
use writer::DualWriter;

use crate::error::{Error, Result};
use crate::format::netcdf4::{self, Netcdf4Writer};
use crate::format::zarr::{self, ZarrOptions};
use crate::format::{VariablePlan, Writer};
use crate::model::Schema;
use crate::store::KeyOutput;

/// Checks that a dataset can be stored so.
///
/// # Errors
/// Names the item that Zarr or HDF5 cannot hold, or that both would store as other bytes.
pub fn check_plans(schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    zarr::check_plans(schema, plans)?;
    let forms = variable_form::forms(schema, plans)?;
    let headers = ShardHeaders::new(schema, plans, &forms)?;
    let file = DatasetFile::new(schema, plans, &forms, &headers)?;
    netcdf4::check_plans(&file.schema, &file.plans)
}

/// Creates a hierarchy. `name` is that of its folder, which the netCDF-4 file in it is named for.
///
/// # Errors
/// Those of [`check_plans`]; why the store fails.
pub fn create(
    output: Arc<dyn KeyOutput>,
    name: &OsStr,
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<Box<dyn Writer>> {
    let key = names::dataset_name(name);
    names::check(&key, schema)?;
    let forms = variable_form::forms(schema, plans)?;
    let headers = ShardHeaders::new(schema, plans, &forms)?;
    let file = DatasetFile::new(schema, plans, &forms, &headers)?;
    netcdf4::check_plans(&file.schema, &file.plans)?;
    let hierarchy =
        zarr::create_with_shards_as(Box::new(headers), Arc::clone(&output), schema, plans, options)?;
    let cannot_write = |e| Error::io("cannot write", e).in_key(&key);
    let value = output.create(&key).map_err(cannot_write)?;
    let tree = file.tree()?;
    let value = Arc::new(ValueOutput::new(value));
    let writer = Netcdf4Writer::create(value, None, &file.schema, &file.plans, &tree)?;
    Ok(Box::new(DualWriter::new(hierarchy, writer, forms)))
}
