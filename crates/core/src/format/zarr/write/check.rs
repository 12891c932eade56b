//! What Zarr version 2 cannot hold.

use super::super::keys::below;
use super::writer::grids;
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::model::KeySeparator as Separator;
use crate::model::{Attribute, GroupId, Schema, Storage, Type, VarId};
use crate::store::check_key;

/// Checks names and types.
///
/// # Errors
/// Names the item.
pub fn check(schema: &Schema) -> Result<()> {
    check_types(schema)?;
    for (n, group) in schema.groups.iter().enumerate() {
        if n > 0 {
            check_name(&group.name, "group", &schema.group_path(GroupId(n)))?;
        }
        for dim in &group.dims {
            let dim = schema.dim(*dim);
            check_name(&dim.name, "dimension", &schema.path_in(dim.group, &dim.name))?;
        }
    }
    for (n, var) in schema.vars.iter().enumerate() {
        let path = schema.var_path(VarId(n));
        check_name(&var.name, "variable", &path)?;
    }
    Ok(())
}

/// Finds the first variable or attribute of a user-defined type, else such a type that nothing has.
fn check_types(schema: &Schema) -> Result<()> {
    let refuse = |what: String, name: &str| {
        Err(Error::Usage(format!(
            "{what} the user-defined type {name}, which Zarr cannot hold"
        )))
    };
    let attribute = |attributes: &[Attribute], owner: &str| {
        let found = attributes
            .iter()
            .find_map(|a| Some((&a.name, user_type(schema, a.ty)?)));
        found.map_or(Ok(()), |(name, ty)| {
            refuse(format!("attribute {name} of {owner} has"), ty)
        })
    };
    for (n, var) in schema.vars.iter().enumerate() {
        let path = schema.var_path(VarId(n));
        if let Some(ty) = user_type(schema, var.ty) {
            return refuse(format!("variable {path} has"), ty);
        }
        attribute(&var.attributes, &format!("variable {path}"))?;
    }
    for (n, group) in schema.groups.iter().enumerate() {
        attribute(
            &group.attributes,
            &format!("group {}", schema.group_path(GroupId(n))),
        )?;
    }
    match schema.types.first() {
        Some(ty) => refuse("the dataset has".to_owned(), &ty.name),
        None => Ok(()),
    }
}

/// The name of a user-defined type; `None` for other types.
fn user_type(schema: &Schema, ty: Type) -> Option<&str> {
    match ty {
        Type::User(id) => Some(&schema.user_type(id).name),
        _ => None,
    }
}

/// Checks a name, which becomes a part of keys. Some names of netCDF cannot.
fn check_name(name: &str, what: &str, path: &str) -> Result<()> {
    let why = match name {
        "" => "is empty",
        _ if name.starts_with('.') => "begins with a dot",
        _ if name.contains('/') => "contains a slash",
        _ if name.contains('\0') => "contains a NUL",
        _ => return Ok(()),
    };
    Err(Error::Usage(format!(
        "the name of {what} {path} {why}, which a key of Zarr cannot"
    )))
}

/// Checks names, types and storage.
///
/// # Errors
/// Names the item.
pub fn check_plans(schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
    check(schema)?;
    for (n, (plan, grid)) in plans.iter().zip(grids(schema, plans)?).enumerate() {
        let layout = &plan.layout;
        let path = schema.var_path(VarId(n));
        let last: Vec<u64> = grid
            .counts()
            .iter()
            .map(|count| count.saturating_sub(1))
            .collect();
        let longest = below(path.trim_start_matches('/'), &Separator::Dot.key(&last));
        check_key(&longest).map_err(|e| Error::Usage(format!("variable {path} cannot be stored: {e}")))?;
        let wrong = |what: &str| {
            Err(Error::Internal(format!("an array {what}")).in_variable(&schema.var_path(VarId(n))))
        };
        if !matches!(layout.storage, Storage::Chunked { .. }) {
            return wrong("without chunks");
        }
        if schema.var(VarId(n)).ty == Type::String && layout.string_length.is_none() {
            return wrong("of strings without a length");
        }
        if layout.filters.iter().any(|codec| codec.zarr_name().is_none()) {
            return wrong("whose codecs have no Zarr names");
        }
    }
    Ok(())
}
