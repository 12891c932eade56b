//! Which kind of file a copy makes, and whether that kind can hold the dataset.

use super::CopyOptions;
use crate::error::{Error, Result};
use crate::model::{Attribute, Kind, Schema, Type};

/// The kind of the output: what was asked for; else what the other options need; else the input's.
///
/// # Errors
/// [`Error::Usage`] where filters are asked for a kind that has none.
pub fn output_kind(input: &Schema, options: &CopyOptions) -> Result<Kind> {
    if let Some(kind) = options.kind {
        return refuse_filters(kind, options);
    }
    if input.kind.is_hdf5() {
        return Ok(input.kind);
    }
    if !options.filters.is_empty() {
        return Ok(Kind::Netcdf4);
    }
    if options.deflate.is_some() || options.shuffle || !options.chunking.is_empty() {
        // CDF-5 has types that the classic model lacks; a dataset that uses them needs the whole of netCDF-4.
        let classic = check(input, Kind::Netcdf4Classic).is_ok();
        return Ok(if classic {
            Kind::Netcdf4Classic
        } else {
            Kind::Netcdf4
        });
    }
    Ok(input.kind)
}

fn refuse_filters(kind: Kind, options: &CopyOptions) -> Result<Kind> {
    if kind.is_hdf5() {
        return Ok(kind);
    }
    let asked = if options.filters.iter().any(|f| !f.pipeline.is_empty()) {
        "-F"
    } else if options.deflate.is_some_and(|level| level > 0) {
        "-d"
    } else {
        return Ok(kind);
    };
    Err(Error::Usage(format!(
        "{asked} asks for filters, which the kind '{}' does not have; use -k nc4 or -k nc7",
        kind.name()
    )))
}

/// Something of a dataset that a kind cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unheld {
    /// What it is, as a clause: "variable v is of type string".
    pub what: String,
    /// Whether it would be held if unlimited dimensions were fixed.
    pub unlimited: bool,
}

impl Unheld {
    /// The error that says so.
    pub fn error(&self, kind: Kind) -> Error {
        let better = if kind == Kind::Netcdf4Classic {
            "-k nc4"
        } else {
            "-k nc4 (or nc7, for filters and chunks)"
        };
        Error::Usage(format!(
            "{}, which the kind '{}' cannot hold; use {better}",
            self.what,
            kind.name()
        ))
    }
}

/// Checks that `kind` can hold `schema`.
///
/// # Errors
/// [`Error::Usage`] that names the first item that it cannot hold.
pub fn check(schema: &Schema, kind: Kind) -> Result<()> {
    match unheld(schema, kind) {
        None => Ok(()),
        Some(mut found) => {
            if found.unlimited {
                found.what.push_str(" (-u makes it fixed)");
            }
            Err(found.error(kind))
        }
    }
}

/// The first item of `schema` that `kind` cannot hold.
pub fn unheld(schema: &Schema, kind: Kind) -> Option<Unheld> {
    if kind == Kind::Netcdf4 {
        return None;
    }
    let cannot = |what: String| {
        Some(Unheld {
            what,
            unlimited: false,
        })
    };
    let unlimited_one = |what: String| {
        Some(Unheld {
            what,
            unlimited: true,
        })
    };
    if let Some(group) = schema.groups[0].children.first() {
        return cannot(format!("the input has a group, {}", schema.group_path(*group)));
    }
    if let Some(ty) = schema.types.first() {
        return cannot(format!("the input has a user-defined type, {}", ty.name));
    }
    let holds =
        |ty: Type| ty.is_classic() || (kind == Kind::Data64 && !matches!(ty, Type::String | Type::User(_)));
    let type_name = |ty: Type| ty.cdl_name().unwrap_or("a user-defined type");
    let bad_attribute =
        |list: &[Attribute]| list.iter().find(|a| !holds(a.ty)).map(|a| (a.name.clone(), a.ty));
    if let Some((name, ty)) = bad_attribute(&schema.groups[0].attributes) {
        return cannot(format!(
            "the global attribute {name} is of type {}",
            type_name(ty)
        ));
    }
    for var in &schema.vars {
        if !holds(var.ty) {
            return cannot(format!("variable {} is of type {}", var.name, type_name(var.ty)));
        }
        if let Some((name, ty)) = bad_attribute(&var.attributes) {
            return cannot(format!(
                "attribute {}:{name} is of type {}",
                var.name,
                type_name(ty)
            ));
        }
    }
    let unlimited: Vec<_> = schema.dims.iter().filter(|d| d.unlimited).collect();
    if let [first, second, ..] = unlimited.as_slice() {
        return unlimited_one(format!(
            "the input has more than one unlimited dimension, {} and {}",
            first.name, second.name
        ));
    }
    if !kind.is_hdf5() {
        for var in &schema.vars {
            if let Some(dim) = var.dims.iter().skip(1).find(|d| schema.dim(**d).unlimited) {
                return unlimited_one(format!(
                    "variable {} has the unlimited dimension {} in a place other than the first",
                    var.name,
                    schema.dim(*dim).name
                ));
            }
        }
    }
    None
}
