//! Checks a hierarchy whose shards are HDF5 files: the netCDF-4 file in it must show what Zarr shows.

use std::ffi::OsStr;
use std::sync::Arc;

use super::check_dataset::limits;
use crate::error::Result;
use crate::filter::Registry;
use crate::format::{Fault, Reader, check_hdf5_shards};
use crate::integrity::chosen::chosen;
use crate::integrity::compare::{CompareOptions, Named, compare_with_values_of};
use crate::integrity::options::CheckOptions;
use crate::model::NamePattern;
use crate::store::KeyStore;

/// What messages call the arrays that Zarr programs read.
const ARRAYS: &str = "the Zarr hierarchy";

/// Tells what is wrong in a hierarchy of Zarr in `store` as one of HDF5 files, if its shards are such files: in the shards, in the netCDF-4
/// file, whose name is that of the folder, `name`, and where both differ. With names in `only`, these variables alone are checked.
///
/// # Errors
/// A name that the hierarchy does not have.
pub fn check_both_sides(
    store: &Arc<dyn KeyStore>,
    name: &OsStr,
    reader: &dyn Reader,
    only: &[NamePattern],
    registry: &Registry,
    options: &CheckOptions,
    found: &mut (dyn FnMut(Fault) + Send),
) -> Result<()> {
    let [vars] = chosen([reader.schema()], only)?;
    let Some(side) = check_hdf5_shards(store, name, (reader, &vars), registry, limits(options), found) else {
        return Ok(());
    };
    let of_file = |fault: Fault| Fault {
        key: Some(side.key.clone()),
        ..fault
    };
    let arrays = Named { reader, name: ARRAYS };
    let file = Named {
        reader: &side.reader,
        name: &side.key,
    };
    let options = CompareOptions {
        work: *options,
        ..CompareOptions::default()
    };
    // What is in shards is there once.
    let has_values = |var| reader.layout(var).shard.is_none();
    let compared = compare_with_values_of(arrays, file, only, &has_values, registry, &options, &mut |line| {
        found(of_file(Fault::new(line)));
    });
    if let Err(error) = compared {
        found(of_file(Fault::of(&error)));
    }
    Ok(())
}
