//! The groups and arrays of a hierarchy, with their documents.
//!
//! ```text
//! root ─► names of the folders below it ─► `zarr.json` of all of them, in one request ─► the next level
//! ```

use std::collections::HashSet;

use super::super::super::hierarchy_limits;
use super::super::super::json::Json;
use super::super::super::keys::{NODE, below};
use super::super::super::read::{ImplicitGroups, MetadataStore};
use super::super::node_error::NodeError;
use super::node::{NodeType, node_type};
use crate::error::{Error, Result};

/// A group or array.
#[derive(Debug)]
pub struct Node {
    /// Its path without a leading `/`; empty for the root.
    pub path: String,
    /// Its name; empty for the root group.
    pub name: String,
    /// Position of its parent in [`Hierarchy::groups`]; `None` for the root.
    pub parent: Option<usize>,
    /// Its document.
    pub document: Json,
}

/// All groups and arrays. A group comes after its parent.
#[derive(Debug, Default)]
pub struct Hierarchy {
    /// The groups, the root first.
    pub groups: Vec<Node>,
    /// The arrays, group by group.
    pub arrays: Vec<Node>,
    /// Nodes that make no group or variable, by their paths.
    pub faults: Vec<(String, NodeError)>,
    /// What is unusual about the groups.
    pub warnings: Vec<String>,
    /// Paths of groups and arrays whose documents have bytes that are no UTF-8.
    pub other_bytes: HashSet<String>,
}

/// Reads all metadata.
///
/// # Errors
/// If the store fails. Unless the hierarchy may be damaged, also if the root is. The error names the key.
pub fn read(store: &mut MetadataStore) -> Result<Hierarchy> {
    let may_be_damaged = store.faults.is_some();
    let mut found = Hierarchy::default();
    let root = store.get_each(vec![NODE.to_owned()])?.pop().flatten();
    let root = match root {
        Some(Err(error)) if may_be_damaged => {
            let why = format!("is damaged: {}", cause(error, NODE));
            found.faults.push((String::new(), NodeError::Damaged(why)));
            None
        }
        root => root.transpose()?,
    };
    // A writer may leave out the root.
    let mut root = root.unwrap_or_else(group_without_members);
    let ty = match node_type(&root) {
        Err(error) if may_be_damaged => {
            found.faults.push((String::new(), error));
            root = group_without_members();
            NodeType::Group
        }
        ty => ty.map_err(NodeError::of_root)?,
    };
    let node = |name: &str, document, parent| Node {
        path: String::new(),
        name: name.to_owned(),
        parent,
        document,
    };
    if ty == NodeType::Array {
        found.groups.push(node("", Json::Object(Vec::new()), None));
        found.arrays.push(node("data", root, Some(0)));
        return Ok(found);
    }
    found.groups.push(node("", root, None));
    let mut implicit = ImplicitGroups::of_version_3();
    let mut level = 0..1;
    let mut depth = 0;
    while !level.is_empty() {
        depth += 1;
        let mut children: Vec<(usize, String, String)> = Vec::new();
        let paths: Vec<&str> = found.groups[level.clone()]
            .iter()
            .map(|group| &*group.path)
            .collect();
        for ((at, path), names) in level.zip(&paths).zip(store.folders_of(&paths)?) {
            children.extend(names.into_iter().map(|name| (at, below(path, &name), name)));
        }
        hierarchy_limits::check(depth, found.groups.len() + found.arrays.len() + children.len())?;
        let keys = children.iter().map(|(_, path, _)| below(path, NODE));
        let mut documents = store.get_each(keys.collect())?;
        let unmarked: Vec<usize> = (0..documents.len())
            .filter(|at| documents[*at].is_none())
            .collect();
        let folders: Vec<String> = unmarked.iter().map(|at| children[*at].1.clone()).collect();
        for (at, is_group) in unmarked.into_iter().zip(implicit.among(store, &folders)?) {
            documents[at] = is_group.then(|| Ok(group_without_members()));
        }
        let begin = found.groups.len();
        for ((parent, path, name), document) in children.into_iter().zip(documents) {
            let Some(document) = document else { continue };
            let read = document
                .map_err(|error| {
                    NodeError::Damaged(format!("is damaged: {}", cause(error, &below(&path, NODE))))
                })
                .and_then(|document| Ok((node_type(&document)?, document)));
            let (nodes, document) = match read {
                Ok((NodeType::Group, document)) => (&mut found.groups, document),
                Ok((NodeType::Array, document)) => (&mut found.arrays, document),
                Err(error) => {
                    found.faults.push((path, error));
                    continue;
                }
            };
            nodes.push(Node {
                path,
                name,
                parent: Some(parent),
                document,
            });
        }
        level = begin..found.groups.len();
    }
    found.warnings = implicit.into_warnings();
    let nodes = found.groups.iter().chain(&found.arrays).map(|node| &node.path);
    let has_other_bytes = |path: &&String| store.has_other_bytes(&below(path, NODE));
    found.other_bytes = nodes.filter(has_other_bytes).cloned().collect();
    Ok(found)
}

/// The document of a group without members.
fn group_without_members() -> Json {
    Json::from_iter([
        ("zarr_format", Json::Integer(3)),
        ("node_type", Json::from("group")),
    ])
}

/// What is wrong with a document, without its key. The message of the fault begins with the key.
fn cause(error: Error, key: &str) -> String {
    let why = match error {
        Error::Key { cause, .. } => return self::cause(*cause, key),
        Error::Damaged(why) | Error::Unsupported(why) => why,
        other => other.to_string(),
    };
    let named = why.strip_prefix(key).and_then(|rest| rest.strip_prefix(": "));
    named.map(str::to_owned).unwrap_or(why)
}
