//! Zarr: version 2, with netCDF's own keys (NCZarr) or without them, and version 3.
//!
//! ```text
//!                         one version                          both versions
//!
//! open:    keys ─► v2::read or v3::read: hierarchy, schema ─► read: ZarrReader ─► Schema, layouts, chunks
//!
//! create:  Schema, plans ─► v2::write or v3::write: documents ─► write: ZarrWriter ◄─ chunks
//!                                                                  └─► keys
//! grow:    growth: adds to a hierarchy that exists
//!
//! both versions besides:
//!     keys: names of keys, members   json, number, half: documents and their numbers       dtype, time: types
//!     attributes                     hierarchy_limits, structure_limits                    transposition: a codec
//!     flavor: NCZarr or not          options: of a hierarchy                               warning: what programs cannot read
//! ```
//!
//! `v2` and `v3` use what both have, and neither uses the other. This file and `growth` choose the version. All else that both
//! have uses neither, except for `v3::sharding`: the reader and the writer of both versions know shards.
//!
//! What Zarr cannot hold, names too, is refused and never escaped: `v2/write/check.rs`, `v3/write/check.rs`.
//!
//! Specifications: Zarr version 2, xarray's `_ARRAY_DIMENSIONS`, and NCZarr 2.0.0 as netCDF-C 4.10 writes it. Older
//! forms of NCZarr are read. `v3/mod.rs` names those of version 3.

mod attributes;
mod dtype;
mod flavor;
mod growth;
mod half;
mod hierarchy_limits;
pub mod json;
pub(crate) mod keys;
mod number;
mod options;
mod read;
mod structure_limits;
mod time;
mod transposition;
mod v2;
mod v3;
mod warning;
mod write;

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::{Reader, VariablePlan, Writer};
use crate::message::some_of;
use crate::model::{Kind, Schema, ZarrVersion};
use crate::store::{KeyOutput, KeyStore};
pub use attributes::rounded_numbers;
pub use growth::{grow, undo};
pub use keys::MARKS;
pub use options::ZarrOptions;
pub(in crate::format) use v3::sharding::IndexCodecs;
pub(crate) use v3::sharding::MOST_CHUNKS as MOST_CHUNKS_OF_SHARD;
pub use warning::{Warning, ZarrProgram};
pub use write::{ShardBytes, ShardFile, ShardFiles, ShardGrid};

/// True if a store of keys holds a Zarr hierarchy. Its metadata is at the root, or directly below if the writer left out
/// that of the root.
///
/// # Errors
/// If the store cannot be read.
pub fn is_zarr(store: &dyn KeyStore) -> Result<bool> {
    let cannot_read = |e: io::Error| Error::io("cannot read", e);
    let has = |path: &str, names: &[&str]| -> Result<bool> {
        for name in names {
            if store
                .size(&keys::below(path, name))
                .map_err(cannot_read)?
                .is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    };
    if has("", &MARKS)? {
        return Ok(true);
    }
    let children = match store.list_children("") {
        Ok(children) => children,
        Err(e) if e.kind() == io::ErrorKind::Unsupported => return Ok(false),
        Err(e) => return Err(cannot_read(e)),
    };
    for child in children.iter().filter_map(|name| name.strip_suffix('/')) {
        if has(child, &[keys::ARRAY, keys::GROUP, keys::NODE])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Opens a hierarchy. Where the keys of versions 2 and 3 lie beside each other, version 3 counts, unless the options say
/// otherwise.
///
/// # Errors
/// Names the key that is damaged or missing.
pub fn open(store: &Arc<dyn KeyStore>, options: ZarrOptions, registry: &Registry) -> Result<Box<dyn Reader>> {
    open_by(v2::open, v3::open, store, options, registry)
}

/// Opens a hierarchy that may be damaged. Arrays whose documents cannot be read are left out, and faults of the schema tell
/// them.
///
/// # Errors
/// If the store fails.
pub fn open_damaged(
    store: &Arc<dyn KeyStore>,
    options: ZarrOptions,
    registry: &Registry,
) -> Result<Box<dyn Reader>> {
    open_by(v2::open_damaged, v3::open_damaged, store, options, registry)
}

/// Opens a hierarchy of one version.
type Open = fn(&Arc<dyn KeyStore>, ZarrOptions, &Registry) -> Result<Box<dyn Reader>>;

/// Opens a hierarchy, one of version 2 by `open_v2`, one of version 3 by `open_v3`.
fn open_by(
    open_v2: Open,
    open_v3: Open,
    store: &Arc<dyn KeyStore>,
    options: ZarrOptions,
    registry: &Registry,
) -> Result<Box<dyn Reader>> {
    match (options.version, v3::is_v3(&**store)?) {
        (Some(ZarrVersion::V2), true) if !has_version_2(&**store)? => {
            return Err(Error::Usage(
                "this is Zarr version 3; leave v2 out of the fragment".to_owned(),
            ));
        }
        (Some(ZarrVersion::V2), _) | (_, false) => {}
        (version, true) => {
            if version.is_none() {
                v3::refuse_mixed_children(store)?;
            }
            return open_v3(store, options, registry);
        }
    }
    open_v2(store, options, registry)
}

/// True if a store has metadata of version 2 at its root.
fn has_version_2(store: &dyn KeyStore) -> Result<bool> {
    for mark in MARKS.into_iter().filter(|mark| *mark != keys::NODE) {
        if store
            .size(mark)
            .map_err(|e| Error::io("cannot read", e))?
            .is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Creates a hierarchy.
///
/// # Errors
/// What Zarr cannot hold, or why the store fails.
pub fn create(
    output: Arc<dyn KeyOutput>,
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<Box<dyn Writer>> {
    Ok(Box::new(begin(output, schema, plans, options)?))
}

fn begin(
    output: Arc<dyn KeyOutput>,
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<write::ZarrWriter> {
    match schema.kind {
        Kind::Zarr3 | Kind::Icechunk => v3::create(output, schema, plans, options),
        _ => v2::create(output, schema, plans, options),
    }
}

/// Creates a hierarchy of version 3, each of whose shards is a file of another format too.
///
/// # Errors
/// Those of [`create`].
pub fn create_with_shards_as(
    files: Box<dyn ShardFiles>,
    output: Arc<dyn KeyOutput>,
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<Box<dyn Writer>> {
    Ok(Box::new(
        begin(output, schema, plans, options)?.with_shards_as(files),
    ))
}

/// Writes the metadata of a hierarchy whose chunks other processes have written, and lets it appear.
///
/// # Errors
/// Those of [`create`].
pub fn complete(
    output: Arc<dyn KeyOutput>,
    schema: &Schema,
    plans: &[VariablePlan],
    options: ZarrOptions,
) -> Result<()> {
    begin(output, schema, plans, options)?.complete()
}

/// Checks that a hierarchy of `schema.kind` can hold the names and types of a schema.
///
/// # Errors
/// Names the item.
pub fn check(schema: &Schema) -> Result<()> {
    match schema.kind {
        Kind::Zarr3 | Kind::Icechunk => v3::check(schema),
        _ => v2::check(schema),
    }
}

/// What a hierarchy of version 3 cannot hold: one error that names the item for each.
pub fn unheld_by_version_3(schema: &Schema) -> Vec<Error> {
    v3::unheld(schema)
}

/// Checks names, types and storage.
///
/// # Errors
/// Names the item.
pub fn check_plans(schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    match schema.kind {
        Kind::Zarr3 | Kind::Icechunk => v3::check_plans(schema, plans),
        _ => v2::check_plans(schema, plans),
    }
}

/// What programs cannot read of a dataset as it was, and what its keys cannot hold as it was.
///
/// # Errors
/// Those of [`check_plans`].
pub fn warnings(schema: &Schema, plans: &[VariablePlan], options: ZarrOptions) -> Result<Vec<Warning>> {
    let mut all = match schema.kind {
        Kind::Zarr3 | Kind::Icechunk => v3::warnings(schema, plans, options),
        _ => v2::warnings(schema, plans, options),
    }?;
    all.extend(names_of_other_bytes(schema).map(Warning::of_output));
    Ok(all)
}

/// The warning about names with bytes that are no UTF-8, which keys and JSON cannot hold.
fn names_of_other_bytes(schema: &Schema) -> Option<String> {
    let groups = schema.groups.iter().map(|group| &group.name);
    let dims = schema.dims.iter().map(|dim| &dim.name);
    let vars = schema.vars.iter();
    let attributes = vars
        .clone()
        .flat_map(|var| &var.attributes)
        .map(|attribute| &attribute.name);
    let names = groups
        .chain(dims)
        .chain(vars.map(|var| &var.name))
        .chain(attributes);
    let odd: BTreeSet<&String> = names.filter(|name| ncutils_hdf5::has_other_bytes(name)).collect();
    (!odd.is_empty()).then(|| {
        format!(
            "names with bytes that are no UTF-8 are written with a character of U+EF80 to U+EFFF for each such byte: {}",
            some_of(odd.iter().map(|name| name.escape_debug()), odd.len())
        )
    })
}
