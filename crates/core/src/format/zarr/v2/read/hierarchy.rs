//! The groups and arrays of a hierarchy, with their documents.
//!
//! ```text
//! root ─► names of its groups and arrays ─► documents of all of them, in one request ─► the next level
//! ```

use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::format::zarr::flavor::Flavor;
use crate::format::zarr::hierarchy_limits;
use crate::format::zarr::json::Json;
use crate::format::zarr::keys::{ARRAY, ATTRIBUTES, GROUP, OLD_SUPERBLOCK, Own, below};
use crate::format::zarr::read::{ImplicitGroups, MetadataStore, fault};

/// The documents of a group or array.
#[derive(Debug, Default)]
pub struct NodeDocuments {
    /// `.zgroup` or `.zarray`.
    pub metadata: Option<Json>,
    /// True for an array that also has `.zgroup`.
    pub is_also_group: bool,
    /// `.zattrs`.
    pub attributes: Option<Json>,
    /// The keys of their own that version 1 of NCZarr has.
    old: Vec<(Own, Json)>,
}

impl NodeDocuments {
    /// A member of netCDF's own: in the attributes, in the metadata, or under a key of its own.
    pub fn own(&self, own: Own) -> Option<&Json> {
        let (attributes, metadata) = (self.attributes.as_ref(), self.metadata.as_ref());
        attributes
            .into_iter()
            .chain(metadata)
            .find_map(|document| own.spellings().iter().find_map(|name| document.get(name)))
            .or_else(|| self.old.iter().find(|(one, _)| *one == own).map(|(_, json)| json))
    }

    /// The conventions that these documents follow. Those of today have all members in the attributes, in lower case.
    pub fn flavor(&self) -> Flavor {
        let owns = [Own::Array, Own::Group, Own::Superblock];
        let has = |document: &Option<Json>, own: Own, spelling: usize| {
            let document = document.as_ref();
            document.is_some_and(|document| document.get(own.spellings()[spelling]).is_some())
        };
        let any =
            |document: &Option<Json>, spelling: usize| owns.iter().any(|own| has(document, *own, spelling));
        if any(&self.attributes, 0) {
            return Flavor::Nczarr;
        }
        let in_metadata = any(&self.metadata, 0) || any(&self.metadata, 1);
        if in_metadata || any(&self.attributes, 1) || !self.old.is_empty() {
            return Flavor::OldNczarr;
        }
        match (
            has(&self.attributes, Own::Types, 0),
            has(&self.attributes, Own::Types, 1),
        ) {
            (true, _) => Flavor::Nczarr,
            (false, true) => Flavor::OldNczarr,
            (false, false) => Flavor::Zarr,
        }
    }
}

/// A group.
#[derive(Debug)]
pub struct Group {
    /// Its path without a leading `/`; empty for the root.
    pub path: String,
    /// Its name; empty for the root.
    pub name: String,
    /// Position of its parent in [`Hierarchy::groups`]; `None` for the root.
    pub parent: Option<usize>,
    /// Its documents.
    pub documents: NodeDocuments,
}

/// An array.
#[derive(Debug)]
pub struct Array {
    /// Its path without a leading `/`; empty for an array at the root.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Position of its group in [`Hierarchy::groups`].
    pub group: usize,
    /// Its documents.
    pub documents: NodeDocuments,
}

/// All groups and arrays. A group comes after its parent.
#[derive(Debug)]
pub struct Hierarchy {
    /// The groups, the root first.
    pub groups: Vec<Group>,
    /// The arrays, group by group.
    pub arrays: Vec<Array>,
    /// What is unusual about the groups.
    pub warnings: Vec<String>,
    /// Paths of groups and arrays whose attributes have bytes that are no UTF-8.
    pub other_bytes: HashSet<String>,
}

/// Reads all metadata.
///
/// # Errors
/// If the store fails. Unless the hierarchy may be damaged, also if a document is not JSON, or a listed group or array is
/// missing. The error names the key.
pub fn read(store: &mut MetadataStore) -> Result<Hierarchy> {
    let old = store
        .get_many(vec![OLD_SUPERBLOCK.to_owned()])?
        .pop()
        .flatten()
        .is_some();
    let root = nodes(store, &[String::new()], old)?;
    if let (false, Some([fault, ..])) = (store.takes_copies, store.faults.as_deref()) {
        // Without the root's documents, nobody knows what the others mean.
        return Err(Error::Damaged(fault.clone()));
    }
    let root = root
        .into_iter()
        .next()
        .unwrap_or(Node::None(NodeDocuments::default()));
    let mut found = Hierarchy {
        groups: Vec::new(),
        arrays: Vec::new(),
        warnings: Vec::new(),
        other_bytes: HashSet::new(),
    };
    let mut implicit = ImplicitGroups::of_version_2();
    let group = |documents| Group {
        path: String::new(),
        name: String::new(),
        parent: None,
        documents,
    };
    match root {
        Node::Array(documents) => {
            found.groups.push(group(NodeDocuments::default()));
            found.arrays.push(Array {
                path: String::new(),
                name: "data".to_owned(),
                group: 0,
                documents,
            });
            return Ok(found);
        }
        Node::Group(documents) => found.groups.push(group(documents)),
        Node::None(_) => {
            found.groups.push(group(NodeDocuments::default()));
        }
    }
    let mut level = 0..1;
    let mut depth = 0;
    while !level.is_empty() {
        depth += 1;
        // The parent, name and whether the parent lists it, of each child of this level.
        let mut children: Vec<(usize, String, bool)> = Vec::new();
        let paths: Vec<&str> = found.groups[level.clone()]
            .iter()
            .map(|group| &*group.path)
            .collect();
        let folders = store.folders_of(&paths)?;
        for (at, others) in level.clone().zip(folders) {
            let listed = match (listed(&found.groups[at]), &mut store.faults) {
                (Err(error), Some(faults)) => {
                    faults.push(fault(error));
                    Vec::new()
                }
                (listed, _) => listed?,
            };
            let known: HashSet<&String> = listed.iter().collect();
            let others = others.into_iter().filter(|name| !known.contains(name));
            let others: Vec<_> = others.map(|name| (at, name, false)).collect();
            children.extend(listed.into_iter().map(|name| (at, name, true)));
            children.extend(others);
        }
        hierarchy_limits::check(depth, found.groups.len() + found.arrays.len() + children.len())?;
        let paths: Vec<String> = children
            .iter()
            .map(|(at, name, _)| below(&found.groups[*at].path, name))
            .collect();
        let mut documents = nodes(store, &paths, old)?;
        let may_be_group = |at: &usize| matches!(documents[*at], Node::None(_)) && !children[*at].2;
        let unmarked: Vec<usize> = (0..children.len()).filter(may_be_group).collect();
        let folders: Vec<String> = unmarked.iter().map(|at| paths[*at].clone()).collect();
        for (at, is_group) in unmarked.into_iter().zip(implicit.among(store, &folders)?) {
            if let (true, Node::None(found)) = (is_group, &mut documents[at]) {
                documents[at] = Node::Group(std::mem::take(found));
            }
        }
        let begin = found.groups.len();
        for (((parent, name, is_listed), path), node) in children.into_iter().zip(paths).zip(documents) {
            match node {
                Node::Group(documents) => found.groups.push(Group {
                    path,
                    name,
                    parent: Some(parent),
                    documents,
                }),
                Node::Array(documents) => found.arrays.push(Array {
                    path,
                    name,
                    group: parent,
                    documents,
                }),
                Node::None(_) if is_listed => {
                    let missing = Error::Damaged(format!("{} is missing", below(&path, ARRAY)));
                    match &mut store.faults {
                        Some(faults) => faults.push(fault(missing)),
                        None => return Err(missing),
                    }
                }
                Node::None(_) => {}
            }
        }
        level = begin..found.groups.len();
    }
    found.warnings = implicit.into_warnings();
    let groups = found.groups.iter().map(|group| &group.path);
    let paths = groups.chain(found.arrays.iter().map(|array| &array.path));
    let has_other_bytes = |path: &&String| store.has_other_bytes(&below(path, ATTRIBUTES));
    found.other_bytes = paths.filter(has_other_bytes).cloned().collect();
    Ok(found)
}

/// The names of the arrays and groups that a group of NCZarr lists, in order. Empty for other groups.
fn listed(group: &Group) -> Result<Vec<String>> {
    let Some(own) = group.documents.own(Own::Group) else {
        return Ok(Vec::new());
    };
    let mut names: Vec<String> = Vec::new();
    for member in ["arrays", "vars", "groups"] {
        let Some(list) = own.get(member) else { continue };
        let wrong = || {
            Error::Damaged(format!(
                "{}: the member {member} of {} is no list of names",
                below(&group.path, ATTRIBUTES),
                Own::Group.name()
            ))
        };
        for name in list.as_array().ok_or_else(wrong)? {
            let name = name.as_str().ok_or_else(wrong)?;
            if name.is_empty() || name.contains('/') || name.starts_with('.') {
                return Err(wrong());
            }
            names.push(name.to_owned());
        }
    }
    // Of two equal names the first stands, also in a long list.
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names)
}

/// What lies at a path.
enum Node {
    Group(NodeDocuments),
    Array(NodeDocuments),
    /// No document says what it is.
    None(NodeDocuments),
}

/// What lies at each path, by one request.
fn nodes(store: &mut MetadataStore, paths: &[String], old: bool) -> Result<Vec<Node>> {
    let mut names = vec![ARRAY, GROUP, ATTRIBUTES];
    let olds = [Own::Superblock, Own::Group, Own::Array, Own::Types];
    if old {
        names.extend(olds.map(Own::old_key));
    }
    let keys = paths
        .iter()
        .flat_map(|path| names.iter().map(|name| below(path, name)));
    let mut documents = store.get_many(keys.collect())?.into_iter();
    let node = |_| {
        let mut next = || documents.next().flatten();
        let (array, group, attributes) = (next(), next(), next());
        let old: Vec<_> = match old {
            true => olds.into_iter().filter_map(|own| Some((own, next()?))).collect(),
            false => Vec::new(),
        };
        let is_array = array.is_some();
        let is_also_group = is_array && group.is_some();
        let is_old_group = old.iter().any(|(own, _)| *own == Own::Group);
        let documents = NodeDocuments {
            metadata: array.or(group),
            is_also_group,
            attributes,
            old,
        };
        match documents.metadata {
            Some(_) if is_array => Node::Array(documents),
            Some(_) => Node::Group(documents),
            None if is_old_group => Node::Group(documents),
            None => Node::None(documents),
        }
    };
    Ok(paths.iter().map(node).collect())
}
