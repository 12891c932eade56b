//! Compares the two sides of a hierarchy: each shard is opened as an HDF5 file, and the netCDF-4 file must map all shards.
//!
//! ```text
//! first shard of each variable ─► InShards ─┬─► check_shard, all threads
//!                                           └─► check_mappings ◄─ DatasetSide: the netCDF-4 file
//! ```

use std::ffi::OsStr;
use std::sync::Arc;

use super::check_mappings::check_mappings;
use super::dataset_side::DatasetSide;
use super::in_shards::{InShards, in_shards};
use super::stored_value::{SIGNATURE, beginning, open_value};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::Netcdf4Reader;
use crate::format::{CheckLimits, Fault, Reader, StructureCheck};
use crate::model::VarId;
use crate::store::KeyStore;
use crate::threads::in_order;

/// Shards that a thread may check before earlier ones were told.
const AHEAD: u64 = 64;

/// Tells what is wrong in the shards of these variables as HDF5 files, and in the netCDF-4 file of a hierarchy whose folder has this
/// `name`. The first shard of a variable decides whether they are to be such files. Returns the netCDF-4 file, if there is to be one and
/// it can be read.
pub fn check(
    store: &Arc<dyn KeyStore>,
    name: &OsStr,
    (reader, vars): (&dyn Reader, &[VarId]),
    registry: &Registry,
    limits: CheckLimits,
    found: &mut (dyn FnMut(Fault) + Send),
) -> Option<DatasetSide> {
    let mut variables = Vec::new();
    for var in vars {
        match in_shards(&**store, reader, *var) {
            Ok(Some(variable)) => variables.push(variable),
            Ok(None) => {}
            Err(error) => found(Fault::of(&error.in_variable(&reader.schema().var_path(*var)))),
        }
    }
    if variables.is_empty() {
        return None;
    }
    check_shards(store, &variables, registry, limits, found);
    let side = DatasetSide::open(store, name, reader.schema(), registry, limits, found)?;
    for variable in &variables {
        check_mappings(&side, variable, found);
    }
    Some(side)
}

fn check_shards(
    store: &Arc<dyn KeyStore>,
    variables: &[InShards<'_>],
    registry: &Registry,
    limits: CheckLimits,
    found: &mut (dyn FnMut(Fault) + Send),
) {
    let mut all = variables
        .iter()
        .flat_map(|variable| (0..variable.shards.len()).map(move |shard| (variable, shard)));
    let work = |(variable, shard): (&InShards<'_>, u64)| {
        let mut faults = Vec::new();
        check_shard(store, &variable.key(shard), registry, &mut |fault| {
            faults.push(fault.in_variable(&variable.path));
        });
        Ok(faults)
    };
    let done: Result<(), std::convert::Infallible> = in_order(
        limits.threads,
        AHEAD,
        || Ok(()),
        |()| Ok(all.next()),
        |(), job| work(job),
        |faults: Vec<Fault>| {
            faults.into_iter().for_each(&mut *found);
            Ok(())
        },
    );
    let Ok(()) = done;
}

/// Checks the structures of one shard, if it exists.
fn check_shard(store: &Arc<dyn KeyStore>, key: &str, registry: &Registry, found: &mut dyn FnMut(Fault)) {
    let mut found = |fault: Fault| {
        found(Fault {
            key: Some(key.to_owned()),
            ..fault
        });
    };
    let object = match beginning(&**store, key) {
        Ok(None) => return,
        Ok(Some(first)) if first != SIGNATURE => {
            return found(Fault::new(
                "the shard is no HDF5 file, as others of the variable are",
            ));
        }
        Ok(Some(_)) => open_value(store, key).map_err(|e| Error::io("cannot read", e)),
        Err(error) => Err(error),
    };
    let checked = object
        .and_then(|object| Netcdf4Reader::open_damaged(object, None, registry, false))
        .and_then(|file| file.check_structure(CheckLimits::ONE_THREAD, &mut found));
    if let Err(error) = checked {
        found(Fault::of(&error));
    }
}
