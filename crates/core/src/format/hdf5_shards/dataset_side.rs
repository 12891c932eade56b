//! [`DatasetSide`]: the netCDF-4 file of a hierarchy, as it is found; whether a file is that of a hierarchy.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

use super::names;
use super::stored_value::open_value;
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::netcdf4::Netcdf4Reader;
use crate::format::{CheckLimits, Fault, Reader, StructureCheck};
use crate::model::{Schema, VarId};
use crate::store::{KeyStore, Object};

/// The netCDF-4 file of a hierarchy.
pub struct DatasetSide {
    /// Its key.
    pub key: String,
    /// Its reader, which reads no shards.
    pub reader: Netcdf4Reader,
}

impl DatasetSide {
    /// Opens the file of a hierarchy whose folder has this `name`, and checks its structures. A folder may have been renamed, so the
    /// only netCDF file in it is taken, too. Tells what is wrong.
    pub fn open(
        store: &Arc<dyn KeyStore>,
        name: &OsStr,
        schema: &Schema,
        registry: &Registry,
        limits: CheckLimits,
        found: &mut dyn FnMut(Fault),
    ) -> Option<Self> {
        let key = match find(&**store, name, schema) {
            Ok(key) => key,
            Err(fault) => {
                found(fault);
                return None;
            }
        };
        let mut found = |fault: Fault| {
            found(Fault {
                key: Some(key.clone()),
                ..fault
            });
        };
        let object = open_value(store, &key).map_err(|e| Error::io("cannot read", e));
        let opened = object.and_then(|object| Netcdf4Reader::open_damaged(object, None, registry, false));
        let checked = opened.and_then(|reader| {
            reader.check_structure(limits, &mut found)?;
            Ok(reader)
        });
        match checked {
            Ok(reader) => Some(Self { key, reader }),
            Err(error) => {
                found(Fault::of(&error));
                None
            }
        }
    }
}

/// True for the netCDF-4 file of a hierarchy: it has virtual datasets over the shards of arrays beside it, and other variables only where
/// the hierarchy has an array of the same path, as `has_array` tells. Nothing is lost with it but what the arrays have.
///
/// # Errors
/// The file cannot be read as HDF5.
pub fn is_dataset_file(object: Arc<dyn Object>, has_array: &dyn Fn(&str) -> bool) -> Result<bool> {
    let reader = Netcdf4Reader::open_with(object, None, &Registry::builtin(), false)?;
    let mut maps_shards = false;
    for n in 0..reader.schema().vars.len() {
        let path = reader.schema().var_path(VarId(n));
        let path = path.trim_start_matches('/');
        let boxes = reader.mapped_boxes(VarId(n)).unwrap_or_default();
        let is_shard = |file: &str| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        let all_shards = boxes
            .iter()
            .all(|mapped| mapped.as_ref().is_some_and(|mapped| is_shard(&mapped.file)));
        if !all_shards || !has_array(path) {
            return Ok(false);
        }
        maps_shards |= !boxes.is_empty();
    }
    Ok(maps_shards)
}

/// The key of the file.
fn find(store: &dyn KeyStore, name: &OsStr, schema: &Schema) -> std::result::Result<String, Fault> {
    let cannot_read = |e| Fault::of(&Error::io("cannot read", e));
    let named = names::dataset_name(name);
    if store.size(&named).map_err(cannot_read)?.is_some() {
        return Ok(named);
    }
    let children = match store.list_children("") {
        Err(e) if e.kind() == io::ErrorKind::Unsupported => Vec::new(),
        children => children.map_err(cannot_read)?,
    };
    let mut others = children
        .into_iter()
        .filter(|child| child.ends_with(names::ENDING) && names::check(child, schema).is_ok());
    match (others.next(), others.next()) {
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(Fault::new(format!(
            "there are several netCDF files beside the shards, and none of them has the folder's name, {named}"
        ))),
        _ => Err(Fault {
            key: Some(named),
            ..Fault::new("the netCDF-4 file of the shards is missing")
        }),
    }
}
