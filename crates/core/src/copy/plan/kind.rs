//! The output's file kind, and the check that this kind can hold the dataset.

use super::CopyOptions;
use crate::error::{Error, Request, Result};
use crate::model::{Attribute, DimId, Item, Kind, Schema, Type, TypeId, VarId};

/// The kind of the output: the requested one, else one that the other options need, else the input's.
///
/// # Errors
/// [`Error::NotHeld`] if filters are requested for a kind that has none.
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
        // CDF-5 has types that the classic model lacks. A dataset that uses them needs full netCDF-4.
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
    let (request, what) = if options.filters.iter().any(|f| !f.pipeline.is_empty()) {
        (Request::Filters, "filters are asked for")
    } else if options.deflate.is_some_and(|level| level > 0) {
        (Request::Deflate, "compression is asked for")
    } else {
        return Ok(kind);
    };
    Err(Error::NotHeld {
        request: Some(request),
        what: what.to_owned(),
        kind,
        held_by: &[Kind::Netcdf4, Kind::Netcdf4Classic],
        held_if_fixed: false,
    })
}

/// An item of a dataset that a kind cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unheld {
    /// Why it cannot be held, as a clause: "variable v is of type string".
    pub what: String,
    /// The item.
    pub item: Item,
    /// True if fixing unlimited dimensions would make the kind hold it.
    pub unlimited: bool,
    /// The kinds that hold it, the best one first.
    pub held_by: &'static [Kind],
}

impl Unheld {
    /// An item that only full netCDF-4 holds.
    fn by_netcdf4(item: Item, what: String) -> Self {
        Self {
            what,
            item,
            unlimited: false,
            held_by: &[Kind::Netcdf4],
        }
    }

    /// The error for this item and `kind`.
    pub fn error(&self, kind: Kind) -> Error {
        self.clone().into_error(kind, false)
    }

    fn into_error(self, kind: Kind, held_if_fixed: bool) -> Error {
        Error::NotHeld {
            request: None,
            what: self.what,
            kind,
            held_by: self.held_by,
            held_if_fixed,
        }
        .about(self.item)
    }
}

/// Checks that `kind` can hold `schema`.
///
/// # Errors
/// [`Error::NotHeld`], which names the first item that `kind` cannot hold.
pub fn check(schema: &Schema, kind: Kind) -> Result<()> {
    match unheld(schema, kind) {
        None => Ok(()),
        Some(found) => {
            let held_if_fixed = found.unlimited;
            Err(found.into_error(kind, held_if_fixed))
        }
    }
}

/// The first item of `schema` that `kind` cannot hold.
pub fn unheld(schema: &Schema, kind: Kind) -> Option<Unheld> {
    if kind == Kind::Netcdf4 {
        return None;
    }
    if let Some(group) = schema.groups[0].children.first() {
        let what = format!("{} is a group", schema.group_path(*group));
        return Some(Unheld::by_netcdf4(Item::Group(*group), what));
    }
    if let Some(ty) = schema.types.first() {
        let what = format!("{} is a user-defined type", ty.name);
        return Some(Unheld::by_netcdf4(Item::Type(TypeId(0)), what));
    }
    types(schema, kind).or_else(|| unlimited(schema, kind))
}

/// The first variable or attribute of a type that `kind` does not have.
fn types(schema: &Schema, kind: Kind) -> Option<Unheld> {
    let simple = |ty: Type| !matches!(ty, Type::String | Type::User(_));
    let holds = |ty: Type| ty.is_classic() || (kind == Kind::Data64 && simple(ty));
    let cannot = |item: Item, subject: String, ty: Type| {
        let name = ty.cdl_name().unwrap_or("a user-defined type");
        let mut found = Unheld::by_netcdf4(item, format!("{subject} is of type {name}"));
        if !kind.is_hdf5() && simple(ty) {
            found.held_by = &[Kind::Data64, Kind::Netcdf4];
        }
        Some(found)
    };
    let bad_attribute = |list: &[Attribute]| list.iter().position(|a| !holds(a.ty));
    let global = &schema.groups[0].attributes;
    if let Some(n) = bad_attribute(global) {
        let subject = format!("the global attribute {}", global[n].name);
        return cannot(Item::GroupAttribute(Schema::ROOT, n), subject, global[n].ty);
    }
    for (id, var) in schema.vars.iter().enumerate().map(|(n, var)| (VarId(n), var)) {
        if !holds(var.ty) {
            return cannot(Item::Variable(id), format!("variable {}", var.name), var.ty);
        }
        if let Some(n) = bad_attribute(&var.attributes) {
            let attribute = &var.attributes[n];
            let subject = format!("attribute {}:{}", var.name, attribute.name);
            return cannot(Item::VariableAttribute(id, n), subject, attribute.ty);
        }
    }
    None
}

/// The second unlimited dimension. In a classic kind also the first variable with an unlimited dimension
/// after its first.
fn unlimited(schema: &Schema, kind: Kind) -> Option<Unheld> {
    let mut all = schema.dims.iter().enumerate().filter(|(_, d)| d.unlimited);
    if let (Some((_, first)), Some((id, second))) = (all.next(), all.next()) {
        let what = format!(
            "there is more than one unlimited dimension, {} and {}",
            first.name, second.name
        );
        return Some(Unheld {
            unlimited: true,
            ..Unheld::by_netcdf4(Item::Dimension(DimId(id)), what)
        });
    }
    if kind.is_hdf5() {
        return None;
    }
    for (id, var) in schema.vars.iter().enumerate().map(|(n, var)| (VarId(n), var)) {
        if let Some(dim) = var.dims.iter().skip(1).find(|d| schema.dim(**d).unlimited) {
            let what = format!(
                "variable {} has the unlimited dimension {} in a place other than the first",
                var.name,
                schema.dim(*dim).name
            );
            return Some(Unheld {
                unlimited: true,
                held_by: &[Kind::Netcdf4Classic, Kind::Netcdf4],
                ..Unheld::by_netcdf4(Item::Variable(id), what)
            });
        }
    }
    None
}
