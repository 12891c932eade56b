//! What Zarr version 2 cannot hold.

use super::structure;
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::format::zarr::dtype::Dtype;
use crate::format::zarr::keys::{ATTRIBUTES, below, check_node};
use crate::format::zarr::write::grids;
use crate::model::KeySeparator as Separator;
use crate::model::{Attribute, GroupId, Item, Schema, Storage, Type, TypeId, VarId};
use crate::store::check_key;

/// Checks names and types.
///
/// # Errors
/// Names the item.
pub fn check(schema: &Schema) -> Result<()> {
    check_types(schema)?;
    for (n, group) in schema.groups.iter().enumerate() {
        if n > 0 {
            let id = GroupId(n);
            check_name(&group.name, "group", &schema.group_path(id))
                .and_then(|()| check_node("group", &schema.group_path(id), ATTRIBUTES))
                .map_err(|e| e.about(Item::Group(id)))?;
        }
        for id in &group.dims {
            let dim = schema.dim(*id);
            check_name(&dim.name, "dimension", &schema.path_in(dim.group, &dim.name))
                .map_err(|e| e.about(Item::Dimension(*id)))?;
        }
    }
    for (n, var) in schema.vars.iter().enumerate() {
        let path = schema.var_path(VarId(n));
        check_name(&var.name, "variable", &path)
            .and_then(|()| check_node("variable", &path, ATTRIBUTES))
            .map_err(|e| e.about(Item::Variable(VarId(n))))?;
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
        let held = |ty| schema.kind.can().booleans_and_complex && schema.is_boolean(ty);
        let found = attributes.iter().find_map(|a| match a.ty {
            Type::User(id) if !held(a.ty) => Some((&a.name, &*schema.user_type(id).name)),
            _ => None,
        });
        found.map_or(Ok(()), |(name, ty)| {
            refuse(format!("attribute {name} of {owner} has"), ty)
        })
    };
    for (n, var) in schema.vars.iter().enumerate() {
        let path = schema.var_path(VarId(n));
        match structure::dtype(schema, var.ty).map_err(|why| {
            Error::can_be_left_out(format!("variable {path} {why}")).about(Item::Variable(VarId(n)))
        })? {
            Some(_) if schema.kind.can().plain_compounds => {}
            _ => {
                if let Some(ty) = user_type(schema, var.ty) {
                    return refuse(format!("variable {path} has"), ty);
                }
            }
        }
        attribute(&var.attributes, &format!("variable {path}"))?;
    }
    for (n, group) in schema.groups.iter().enumerate() {
        attribute(
            &group.attributes,
            &format!("group {}", schema.group_path(GroupId(n))),
        )?;
    }
    let types = (0..schema.types.len()).map(|n| Type::User(TypeId(n)));
    // Types that are parts of others are looked at with them.
    let unused = types.filter(|_| !schema.kind.can().plain_compounds);
    match unused.filter_map(|ty| user_type(schema, ty)).next() {
        Some(name) => refuse("the dataset has".to_owned(), name),
        None => Ok(()),
    }
}

/// The name of a user-defined type that Zarr does not have; `None` for other types.
fn user_type(schema: &Schema, ty: Type) -> Option<&str> {
    let Type::User(id) = ty else { return None };
    let user = schema.user_type(id);
    let is_held = schema.kind.can().booleans_and_complex && Dtype::of_user_type(user).is_some();
    (!is_held).then_some(&user.name)
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
    Err(Error::can_be_left_out(format!(
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
