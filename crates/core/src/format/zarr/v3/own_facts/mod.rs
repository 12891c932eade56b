//! NetCDF's own facts: what Zarr version 3 has no place for.
//!
//! They are one attribute of the root group. xarray hides attributes of groups whose names begin with `_nc`. Each member
//! is there only where a reader of the arrays would find something else:
//!
//! ```text
//! {"version": 1,
//!  "types": [{"name": "color", "group": "/", "enum": "byte", "members": [["red", 0], ["blue", 1]]},
//!            {"name": "id", "group": "/g", "opaque": 16},
//!            {"name": "pair", "group": "/", "compound": [["a", "short"], ["c", "/color"], ["t", "char", [8]]]}],
//!  "groups": {"/": {"dimensions": [["time", 10, "unlimited"], ["x", 5]],   all of them, in order
//!                   "groups": ["g"], "variables": ["t", "a"],              their order
//!                   "attributes": {"scale": "float"}}},                    their types
//!  "variables": {"/g/t": {"type": "/color", "attributes": {"names": "string"},
//!                         "no_fill": true,                  unwritten parts are undefined
//!                         "dimensions": ["/x", "/g/x"],     their paths, where a name would mean another one
//!                         "_FillValue": 2}}}                the attribute at this position has the value of `fill_value`
//!                                                           [2, 42]: the char 42; [2, "none"]: a string
//!                                                           [2, [1, 2], "short"]: shorts, whatever the variable is
//! ```
//!
//! A fact that contradicts the arrays is ignored: another program may have changed them.

mod apply;
mod dimensions;
mod nczarr_type;
mod types;
mod write;

pub use write::of;

use super::super::json::Json;
pub use super::super::keys::OWN_FACTS as NAME;
use crate::model::{Schema, Type, VariableLayout};
use nczarr_type::nczarr_type;
use std::collections::HashMap;

/// The version of the facts that is written and read.
const VERSION: u64 = 1;

/// The facts of a dataset.
#[derive(Debug)]
pub struct OwnFacts {
    json: Json,
    /// The position of each group in the member `groups`, by its path with a leading `/`.
    groups: HashMap<String, usize>,
    /// The position of each variable in the member `variables`, by its path with a leading `/`.
    variables: HashMap<String, usize>,
}

impl OwnFacts {
    /// Takes the facts from the attributes of the root group. `None` if there are none, or none of a known version.
    pub fn find(attributes: &[(String, Json)]) -> Option<Self> {
        let (_, facts) = attributes.iter().find(|(name, _)| name == NAME)?;
        (facts.get("version").and_then(Json::as_u64) == Some(VERSION)).then(|| Self {
            groups: positions(facts.get("groups")),
            variables: positions(facts.get("variables")),
            json: facts.clone(),
        })
    }

    /// The types of the attributes of a group, in the form of NCZarr. `path` has no leading `/`.
    pub fn group_attributes(&self, path: &str) -> Option<Json> {
        let at = *self.groups.get(&format!("/{path}"))?;
        attribute_types(&self.json.get("groups")?.as_object()?.get(at)?.1)
    }

    /// The types of the attributes of a variable, in the form of NCZarr. `path` has no leading `/`.
    pub fn variable_attributes(&self, path: &str) -> Option<Json> {
        let at = *self.variables.get(&format!("/{path}"))?;
        attribute_types(&self.json.get("variables")?.as_object()?.get(at)?.1)
    }

    /// The paths of the dimensions of a variable, where their names alone would mean others. `path` has no leading `/`.
    pub fn variable_dimensions(&self, path: &str) -> Option<Vec<&str>> {
        let at = *self.variables.get(&format!("/{path}"))?;
        let facts = &self.json.get("variables")?.as_object()?.get(at)?.1;
        let paths = facts.get("dimensions")?.as_array()?.iter();
        paths.map(Json::as_str).collect()
    }

    /// Adds the facts to what was read of the arrays. Nothing is taken from them that contradicts the arrays.
    pub fn apply(&self, schema: &mut Schema, layouts: &mut [VariableLayout]) {
        apply::apply(&self.json, schema, layouts);
    }
}

/// The positions of the members of an object by their names. A search for each of many members would take quadratic time.
fn positions(object: Option<&Json>) -> HashMap<String, usize> {
    let members = object.and_then(Json::as_object).unwrap_or_default();
    let named = members.iter().enumerate();
    named.map(|(at, (name, _))| (name.clone(), at)).collect()
}

/// The types in the member `attributes` of the facts of an item, in the form of NCZarr.
fn attribute_types(item: &Json) -> Option<Json> {
    let types = item.get("attributes")?.as_object()?;
    let text = |(name, ty): &(String, Json)| {
        let ty = Type::from_cdl_name(ty.as_str()?)?;
        Some((name.clone(), nczarr_type(ty)))
    };
    Some(Json::Object(types.iter().filter_map(text).collect()))
}

#[cfg(test)]
mod tests;
