//! Dimensions: those of each group, in order, with the unlimited and the unused ones.
//!
//! A reader of the arrays alone makes a dimension in the group of each array that names it.

use std::collections::{HashMap, HashSet};

use super::super::super::json::Json;
use crate::model::{DimId, Dimension, GroupId, MAX_NAME, Schema};

/// True if a reader of the arrays alone would find other dimensions.
pub fn are_lost(schema: &Schema) -> bool {
    let mut found: Vec<Vec<DimId>> = vec![Vec::new(); schema.groups.len()];
    let mut seen = HashSet::new();
    for group in &schema.groups {
        let mut vars = group.vars.clone();
        vars.sort_by_key(|id| &schema.var(*id).name);
        for dim in vars.iter().flat_map(|id| schema.var(*id).dims.iter()) {
            let owner = schema.dim(*dim).group;
            if !group_is(schema, group, owner) {
                return true;
            }
            if seen.insert(*dim) {
                found[owner.0].push(*dim);
            }
        }
    }
    let differs = |dim: &Dimension| dim.unlimited != (dim.length == 0);
    schema.dims.iter().any(differs)
        || schema
            .groups
            .iter()
            .zip(&found)
            .any(|(group, dims)| group.dims != *dims)
}

fn group_is(schema: &Schema, group: &crate::model::Group, id: GroupId) -> bool {
    std::ptr::eq(group, schema.group(id))
}

/// For each variable, true if one of its dimensions is not the one that a reader finds by its name: that of the nearest group.
pub fn are_hidden(schema: &Schema) -> Vec<bool> {
    let dims = schema.dims.iter();
    let named: HashSet<(GroupId, &str)> = dims.map(|dim| (dim.group, &*dim.name)).collect();
    let is_hidden = |group: GroupId, dim: &Dimension| {
        let mut around = schema.around(group);
        around.find(|around| named.contains(&(*around, &*dim.name))) != Some(dim.group)
    };
    let vars = schema.vars.iter();
    vars.map(|var| var.dims.iter().any(|dim| is_hidden(var.group, schema.dim(*dim))))
        .collect()
}

/// The paths of the dimensions of a variable.
pub fn paths(schema: &Schema, dims: &[DimId]) -> Json {
    let path = |dim: &DimId| {
        let dim = schema.dim(*dim);
        Json::from(schema.path_in(dim.group, &dim.name))
    };
    Json::Array(dims.iter().map(path).collect())
}

/// The dimensions of a group: name, length, and a word if it is unlimited.
pub fn json(schema: &Schema, group: GroupId) -> Json {
    let dimension = |id: &DimId| {
        let dim = schema.dim(*id);
        let mut members = vec![Json::from(&*dim.name), dim.length.into()];
        if dim.unlimited {
            members.push("unlimited".into());
        }
        Json::Array(members)
    };
    Json::Array(schema.group(group).dims.iter().map(dimension).collect())
}

/// A dimension that the facts tell.
struct Told {
    group: GroupId,
    name: String,
    length: u64,
    unlimited: bool,
    /// The length that arrays have along it; `None` if no array has it.
    used: Option<u64>,
    /// True if arrays have different lengths along it.
    clashes: bool,
}

impl Told {
    fn parse(group: GroupId, json: &Json) -> Option<Self> {
        let [name, length, rest @ ..] = json.as_array()? else {
            return None;
        };
        let name = name.as_str().filter(|name| is_name(name))?;
        Some(Self {
            group,
            name: name.to_owned(),
            length: length.as_u64().filter(|length| *length <= i64::MAX as u64)?,
            unlimited: rest.first().and_then(Json::as_str) == Some("unlimited"),
            used: None,
            clashes: false,
        })
    }
}

/// True if an item of netCDF can have this name.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && !name.contains(['/', '\0'])
}

/// Puts the dimensions that the facts tell in place of those that were found. `lists` are those of each group.
pub fn apply(lists: &[(GroupId, &Json)], schema: &mut Schema) {
    let mut told: Vec<Told> = Vec::new();
    let mut places: HashMap<(GroupId, String), usize> = HashMap::new();
    for (group, list) in lists {
        for dim in list.as_array().unwrap_or_default() {
            let Some(dim) = Told::parse(*group, dim) else {
                continue;
            };
            let key = (dim.group, dim.name.clone());
            if let std::collections::hash_map::Entry::Vacant(place) = places.entry(key) {
                place.insert(told.len());
                told.push(dim);
            }
        }
    }
    if told.is_empty() {
        return;
    }
    // The dimension that each array means by a name: that of the nearest group.
    let mut meant: HashMap<(GroupId, DimId), Option<usize>> = HashMap::new();
    for var in &schema.vars {
        for dim in &var.dims {
            let found = schema.dim(*dim);
            let at = *meant.entry((var.group, *dim)).or_insert_with(|| {
                // A dimension that was told by its path is in its own group already, any other in that of its array.
                let mut around = schema.around(found.group);
                around.find_map(|group| places.get(&(group, found.name.clone())).copied())
            });
            if let Some(told) = at.and_then(|at| told.get_mut(at)) {
                told.clashes |= *told.used.get_or_insert(found.length) != found.length;
            }
        }
    }
    let old = std::mem::take(&mut schema.dims);
    schema.groups.iter_mut().for_each(|group| group.dims.clear());
    // What no array has keeps the length that was told. Where arrays differ, they keep what was found.
    let mut new: Vec<Option<DimId>> = Vec::with_capacity(told.len());
    for dim in told {
        new.push((!dim.clashes).then(|| {
            let length = dim.used.unwrap_or(dim.length);
            schema.add_dim(Dimension {
                name: dim.name,
                group: dim.group,
                length,
                unlimited: dim.unlimited || length == 0,
            })
        }));
    }
    let mut found: HashMap<DimId, DimId> = HashMap::new();
    for n in 0..schema.vars.len() {
        let group = schema.vars[n].group;
        let dims = schema.vars[n].dims.clone();
        let dims = dims.into_iter().map(|dim| {
            let told = meant.get(&(group, dim)).copied().flatten();
            if let Some(id) = told.and_then(|at| new[at]) {
                return id;
            }
            *found
                .entry(dim)
                .or_insert_with(|| schema.add_dim(old[dim.0].clone()))
        });
        schema.vars[n].dims = dims.collect();
    }
}
