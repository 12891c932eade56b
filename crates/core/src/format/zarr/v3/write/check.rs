//! What Zarr version 3 cannot hold.

use super::super::super::keys::{NODE, PARTIAL, below, check_node};
use super::super::super::write::{ShardGrid, grids};
use super::super::data_type::DataType;
use super::codecs;
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::model::{Attribute, FILL_VALUE_ATTRIBUTE, GroupId, Item, Schema, Storage, VarId};
use crate::store::check_key;

/// Checks names and types.
///
/// # Errors
/// Names the item.
pub fn check(schema: &Schema) -> Result<()> {
    let mut found = groups(schema).chain(items(schema));
    found.next().map_or(Ok(()), Err)
}

/// What cannot be held: groups, or the variables and attributes if all groups are held.
pub fn unheld(schema: &Schema) -> Vec<Error> {
    let found: Vec<Error> = groups(schema).collect();
    match found.is_empty() {
        true => items(schema).collect(),
        false => found,
    }
}

fn groups(schema: &Schema) -> impl Iterator<Item = Error> {
    let all = schema.groups.iter().enumerate().skip(1);
    all.filter_map(|(n, group)| {
        let id = GroupId(n);
        let path = schema.group_path(id);
        let checked = check_name(&group.name, "group", &path).and_then(|()| check_node("group", &path, NODE));
        checked.err().map(|e| e.about(Item::Group(id)))
    })
}

/// Variables and attributes in the order of the schema. The attributes of a variable that cannot be held are not looked at.
fn items(schema: &Schema) -> impl Iterator<Item = Error> {
    let variables = schema.vars.iter().enumerate().flat_map(move |(n, var)| {
        let id = VarId(n);
        let path = schema.var_path(id);
        let own = variable(schema, id, &path).err();
        let is_held = own.is_none();
        let attributes = var
            .attributes
            .iter()
            .enumerate()
            .filter_map(move |(at, attribute)| {
                if !is_held || attribute.name == FILL_VALUE_ATTRIBUTE {
                    return None;
                }
                let checked = check_attribute(schema, attribute, &format!("variable {path}"));
                checked.err().map(|e| e.about(Item::VariableAttribute(id, at)))
            });
        own.into_iter().chain(attributes)
    });
    let groups = schema.groups.iter().enumerate().flat_map(move |(n, group)| {
        let owner = format!("group {}", schema.group_path(GroupId(n)));
        group
            .attributes
            .iter()
            .enumerate()
            .filter_map(move |(at, attribute)| {
                let checked = check_attribute(schema, attribute, &owner);
                checked
                    .err()
                    .map(|e| e.about(Item::GroupAttribute(GroupId(n), at)))
            })
    });
    variables.chain(groups)
}

fn variable(schema: &Schema, id: VarId, path: &str) -> Result<()> {
    let var = schema.var(id);
    check_name(&var.name, "variable", path)
        .and_then(|()| check_node("variable", path, NODE))
        .and_then(|()| match DataType::of(schema, var.ty) {
            Ok(_) => Ok(()),
            Err(why) => Err(Error::can_be_left_out(format!("variable {path} {why}"))),
        })
        .map_err(|e| e.about(Item::Variable(id)))
}

/// Checks the type of an attribute.
fn check_attribute(schema: &Schema, attribute: &Attribute, owner: &str) -> Result<()> {
    match DataType::of(schema, attribute.ty) {
        Ok(_) => Ok(()),
        Err(why) => Err(Error::can_be_left_out(format!(
            "attribute {} of {owner} {why}",
            attribute.name
        ))),
    }
}

/// Checks the name of a node, which becomes a part of keys.
///
/// Zarr version 3, "Node names".
fn check_name(name: &str, what: &str, path: &str) -> Result<()> {
    let why = match name {
        "" => "is empty",
        NODE => "is that of metadata",
        _ if name.starts_with(PARTIAL) => "marks a dataset that is not complete",
        _ if name.bytes().all(|byte| byte == b'.') => "has only dots",
        _ if name.contains('/') => "contains a slash",
        _ if name.contains('\0') => "contains a NUL",
        // zarr-python takes it for a slash, and then opens nothing of the store.
        _ if name.contains('\\') => "contains a backslash",
        _ => return Ok(()),
    };
    Err(Error::can_be_left_out(format!(
        "the name of {what} {path} {why}: a node of Zarr version 3 cannot have it; rename it"
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
        let (id, path) = (VarId(n), schema.var_path(VarId(n)));
        let last: Vec<u64> = grid
            .counts()
            .iter()
            .map(|count| count.saturating_sub(1))
            .collect();
        let longest = below(path.trim_start_matches('/'), &layout.chunk_keys.key(&last));
        check_key(&longest).map_err(|e| Error::Usage(format!("variable {path} cannot be stored: {e}")))?;
        let wrong = |what: &str| Err(Error::Internal(format!("an array {what}")).in_variable(&path));
        if !matches!(layout.storage, Storage::Chunked { .. }) {
            return wrong("without chunks");
        }
        if layout.string_length.is_some() {
            return wrong("of strings of one length");
        }
        if layout.filters.iter().any(|codec| codec.zarr_name().is_none()) {
            return wrong("whose codecs have no Zarr names");
        }
        if layout.extent.is_empty() && layout.shard.is_some() {
            return wrong("with shards, but without dimensions");
        }
        ShardGrid::new(layout).map_err(|e| e.in_variable(&path))?;
        let unheld = |why: String| Error::Usage(format!("variable {path} {why}"));
        let data_type = DataType::of(schema, schema.var(id).ty).map_err(unheld)?;
        codecs::chain(layout, &data_type).map_err(unheld)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nodes() {
        for name in ["v", ".hidden", "_v", "__v", "a.b", "c", "zarr.json2", "…"] {
            assert!(check_name(name, "variable", name).is_ok(), "{name}");
        }
        for name in ["", ".", "..", "....", "zarr.json", "a/b", "a\0", "a\\b"] {
            let error = check_name(name, "variable", "/p").unwrap_err().to_string();
            assert!(error.contains("variable /p"), "{error}");
        }
    }
}
