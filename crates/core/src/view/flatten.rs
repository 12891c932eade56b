//! One group in place of many: the items of a group take its path into their names.

use std::collections::{HashMap, HashSet};

use super::referring_names::{NewNames, rename_in};
use crate::error::{Request, Result};
use crate::message::some_of;
use crate::model::{Attributes, GroupId, MAX_NAME, Schema};

/// `schema` without groups. An item `v` of the group `/a/b` is called `a_b_v` if `separator` is `_`; items of the root keep their
/// names, and attributes of groups become global ones. Attributes of the CF conventions that name variables or dimensions
/// follow. Also returns a warning that names what was renamed, if anything was.
///
/// # Errors
/// [`Error::Request`](crate::error::Error::Request) if two items would have one name, or a name would be too long.
pub fn flatten(schema: &Schema, separator: &str) -> Result<(Schema, Option<String>)> {
    let prefixes: Vec<String> = (0..schema.groups.len())
        .map(|n| prefix(schema, GroupId(n), separator))
        .collect();
    let joined = |group: GroupId, name: &str| format!("{}{name}", prefixes[group.0]);
    let mut flat = schema.clone();
    flat.groups.truncate(1);
    flat.groups[0].children.clear();
    for (new, old) in flat.dims.iter_mut().zip(&schema.dims) {
        new.name = joined(old.group, &old.name);
        new.group = Schema::ROOT;
    }
    for (new, old) in flat.types.iter_mut().zip(&schema.types) {
        new.name = joined(old.group, &old.name);
        new.group = Schema::ROOT;
    }
    for (new, old) in flat.vars.iter_mut().zip(&schema.vars) {
        new.name = joined(old.group, &old.name);
        new.group = Schema::ROOT;
    }
    let mut global = Attributes::default();
    let root = &mut flat.groups[0];
    (root.dims, root.types, root.vars) = Default::default();
    for (n, group) in schema.groups.iter().enumerate() {
        root.dims.extend(&group.dims);
        root.types.extend(&group.types);
        root.vars.extend(&group.vars);
        global.extend(group.attributes.iter().cloned().map(|mut attribute| {
            attribute.name = joined(GroupId(n), &attribute.name);
            attribute
        }));
    }
    root.attributes = global;
    let listed = check(schema, &joined)?;

    let names = NewNames {
        before: schema,
        after: &flat,
    };
    let attributes: Vec<Attributes> = schema
        .vars
        .iter()
        .map(|var| rename_in(&var.attributes, var.group, &names))
        .collect();
    for (var, attributes) in flat.vars.iter_mut().zip(attributes) {
        var.attributes = attributes;
    }
    Ok((flat, warning(listed)))
}

/// What the names of a group's items begin with; empty for the root.
fn prefix(schema: &Schema, group: GroupId, separator: &str) -> String {
    let path = schema.group_path(group);
    let names = path.split('/').filter(|name| !name.is_empty());
    names.map(|name| format!("{name}{separator}")).collect()
}

/// Checks that each name is of one item alone. Returns the renamed items: the path of each, and its new name.
fn check(schema: &Schema, joined: &dyn Fn(GroupId, &str) -> String) -> Result<Vec<(String, String)>> {
    let dims = schema.dims.iter().map(|dim| (dim.group, &dim.name));
    let types = schema.types.iter().map(|ty| (ty.group, &ty.name));
    let vars = schema.vars.iter().map(|var| (var.group, &var.name));
    let groups = schema.groups.iter().enumerate();
    let attributes =
        groups.flat_map(|(n, group)| group.attributes.iter().map(move |a| (GroupId(n), &a.name)));
    let (mut renamed, mut told) = (Vec::new(), HashSet::new());
    let lists: [&mut dyn Iterator<Item = (GroupId, &String)>; 4] =
        [&mut { vars }, &mut { dims }, &mut { types }, &mut { attributes }];
    for list in lists {
        let mut taken: HashMap<String, String> = HashMap::new();
        for (group, name) in list {
            let (old, new) = (schema.path_in(group, name), joined(group, name));
            if new.len() > MAX_NAME {
                return Err(Request::FlatGroups.error(format!(
                    "the name of {old} would take {} bytes, more than {MAX_NAME}",
                    new.len()
                )));
            }
            if let Some(other) = taken.insert(new.clone(), old.clone()) {
                return Err(Request::FlatGroups.error(format!(
                    "{other} and {old} would both be called {new}; give another separator"
                )));
            }
            // A coordinate and its dimension share a name.
            if group != Schema::ROOT && told.insert(new.clone()) {
                renamed.push((old, new));
            }
        }
    }
    Ok(renamed)
}

/// One line that tells what was renamed.
fn warning(renamed: Vec<(String, String)>) -> Option<String> {
    if renamed.is_empty() {
        return None;
    }
    let told: Vec<_> = renamed
        .iter()
        .map(|(old, new)| format!("{old} is {new}"))
        .collect();
    Some(format!(
        "the groups became one, which changed {} names: {}",
        told.len(),
        some_of(&told, told.len())
    ))
}
