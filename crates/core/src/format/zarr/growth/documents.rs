//! The documents of a hierarchy that grows: the old ones with new shapes and lengths. All else of them is kept, whoever wrote it.

use std::collections::BTreeMap;

use super::lengths::{change, member};
use crate::error::{Error, Result};
use crate::format::zarr::json::Json;
use crate::format::zarr::keys::{
    ARRAY, ATTRIBUTES, CONSOLIDATED, CONSOLIDATED_METADATA, GROUP, NODE, OLD_GROUP, OWN_FACTS, Own, below,
};
use crate::model::{GroupId, Schema};

/// The name of the codec of shards.
const SHARDING: &str = "sharding_indexed";

/// Most levels of shards within shards.
const DEEPEST: usize = 8;

/// Old and new shape of each array that grows, by its path.
pub(super) type Shapes = BTreeMap<String, (Vec<u64>, Vec<u64>)>;

/// The shape that the document of an array tells.
///
/// # Errors
/// It tells none.
pub(super) fn shape(document: &Json) -> Result<Vec<u64>> {
    let lengths = document.get("shape").and_then(Json::as_array);
    let lengths: Option<Vec<u64>> = lengths.and_then(|lengths| lengths.iter().map(Json::as_u64).collect());
    lengths.ok_or_else(|| Error::Damaged("the document of an array tells no shape".to_owned()))
}

/// Checks that elements are stored as this crate writes them: `made` is its own document of the array.
///
/// # Errors
/// Names what differs.
pub(super) fn check_same_form(found: &Json, made: &Json) -> Result<()> {
    let shown = |value: Option<&Json>| value.map_or_else(|| "missing".to_owned(), Json::to_string);
    let same = |member: &str| match (found.get(member), made.get(member)) {
        // A name alone and an object with it are one.
        (Some(a), Some(b)) if member == "data_type" => {
            a == b || name_of(a).is_some() && name_of(a) == name_of(b) && a.get("configuration").is_none()
        }
        (a, b) => a == b,
    };
    let differs = ["dtype", "data_type", "order"]
        .into_iter()
        .find(|member| !same(member));
    let differs = differs.or_else(|| (forms(found) != forms(made)).then_some("codecs"));
    match differs {
        Some(member) => Err(Error::Usage(format!(
            "its {member} is {}, which is written in another form here; nccopy --join writes a new dataset of both",
            shown(found.get(member))
        ))),
        None => Ok(()),
    }
}

fn name_of(extension: &Json) -> Option<&str> {
    extension.get("name").unwrap_or(extension).as_str()
}

/// What tells how the codecs of an array make bytes of elements: their names, and of shards those of what is in them.
fn forms(document: &Json) -> Option<Vec<String>> {
    let mut all = Vec::new();
    collect_forms(document.get("codecs")?, 0, &mut all);
    Some(all)
}

fn collect_forms(codecs: &Json, depth: usize, all: &mut Vec<String>) {
    for codec in codecs.as_array().unwrap_or_default() {
        let name = name_of(codec).unwrap_or_default();
        all.push(format!("{depth} {name}"));
        let configuration = codec.get("configuration");
        let member = |name: &str| configuration.and_then(|configuration| configuration.get(name));
        if name == "bytes" && depth > 0 {
            all.push(member("endian").map_or_else(
                || "little".to_owned(),
                |endian| endian.as_str().unwrap_or_default().to_owned(),
            ));
        }
        if name == SHARDING && depth < DEEPEST {
            for inner in ["codecs", "index_codecs"] {
                if let Some(inner) = member(inner) {
                    collect_forms(inner, depth + 1, all);
                }
            }
            all.push(
                member("index_location")
                    .and_then(Json::as_str)
                    .unwrap_or("end")
                    .to_owned(),
            );
        }
    }
}

/// The keys of the documents of groups that may tell lengths of dimensions, the root's and the consolidated one last.
pub(super) fn of_groups(schema: &Schema, is_version_3: bool) -> Vec<String> {
    let mut keys = Vec::new();
    for n in (0..schema.groups.len()).rev() {
        let path = schema.group_path(GroupId(n));
        let path = path.trim_start_matches('/');
        let names: &[&str] = match is_version_3 {
            true => &[NODE],
            false => &[OLD_GROUP, GROUP, ATTRIBUTES],
        };
        keys.extend(names.iter().map(|name| below(path, name)));
    }
    if !is_version_3 {
        keys.push(CONSOLIDATED.to_owned());
    }
    keys
}

/// What is longer than before.
pub(super) struct Grown<'a> {
    shapes: &'a Shapes,
    /// Path, without a slash before it, of the group of each dimension, its name and its length.
    dimensions: Vec<(String, String, u64)>,
}

impl<'a> Grown<'a> {
    /// Arrays of these shapes, and the dimensions of a schema.
    pub(super) fn new(schema: &Schema, shapes: &'a Shapes) -> Self {
        let told = |dim: &crate::model::Dimension| {
            let group = schema.group_path(dim.group);
            (
                group.trim_start_matches('/').to_owned(),
                dim.name.clone(),
                dim.length,
            )
        };
        Self {
            shapes,
            dimensions: schema.dims.iter().map(told).collect(),
        }
    }

    /// Changes the document of a key.
    pub(super) fn change(&self, key: &str, document: &mut Json) {
        let (path, name) = key.rsplit_once('/').unwrap_or(("", key));
        match name {
            ARRAY => self.reshape(path, document),
            NODE => {
                self.node(path, document);
                let below_it =
                    member(document, CONSOLIDATED_METADATA).and_then(|all| member(all, "metadata"));
                if let Some(Json::Object(all)) = below_it {
                    for (inner, document) in all {
                        self.node(&below(path, inner), document);
                    }
                }
            }
            GROUP | ATTRIBUTES => self.group(path, document),
            OLD_GROUP => self.lengthen(path, document),
            CONSOLIDATED => {
                if let Some(Json::Object(all)) = member(document, "metadata") {
                    for (inner, document) in all {
                        if !inner.ends_with(CONSOLIDATED) {
                            self.change(&below(path, inner), document);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn node(&self, path: &str, document: &mut Json) {
        match document.get("node_type").and_then(Json::as_str) {
            Some("array") => self.reshape(path, document),
            _ => {
                if let Some(attributes) = member(document, "attributes") {
                    self.group(path, attributes);
                    self.own_facts(attributes);
                }
            }
        }
    }

    fn reshape(&self, path: &str, document: &mut Json) {
        let (Some((old, new)), Ok(found)) = (self.shapes.get(path), shape(document)) else {
            return;
        };
        if let (true, Some(shape)) = (found == *old, member(document, "shape")) {
            *shape = Json::Array(new.iter().map(|length| Json::Integer((*length).into())).collect());
        }
    }

    fn group(&self, path: &str, members: &mut Json) {
        for name in Own::Group.spellings() {
            if let Some(group) = member(members, name) {
                self.lengthen(path, group);
            }
        }
    }

    /// Changes the lists of dimensions in a description of a group.
    fn lengthen(&self, path: &str, group: &mut Json) {
        for list in ["dimensions", "dims"] {
            let Some(list) = member(group, list) else { continue };
            for (_, name, length) in self.dimensions.iter().filter(|(group, ..)| group == path) {
                change(list, name, *length);
            }
        }
    }

    fn own_facts(&self, attributes: &mut Json) {
        let groups = member(attributes, OWN_FACTS).and_then(|facts| member(facts, "groups"));
        if let Some(Json::Object(groups)) = groups {
            for (path, group) in groups {
                self.lengthen(path.trim_start_matches('/'), group);
            }
        }
    }
}
