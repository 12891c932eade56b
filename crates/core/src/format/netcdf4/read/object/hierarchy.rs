//! The objects of a file in netCDF's order: a group's own objects, then those of its child groups.
//!
//! This module reads only structure: headers, attributes as stored, and links, which it follows.
//! [`crate::format::netcdf4::read::schema`] interprets them.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use ncutils_hdf5::{Attribute, Dataset, Datatype, File, Link, LinkTarget, is_link_name};

use super::described::{What, describe};
use super::found_attribute::FoundAttribute;
use super::links::{Linker, ObjectId, OpenFile, Unfollowed};
use super::repeats::Repeats;
use crate::error::{Error, Result};
use crate::format::Fault;
use crate::format::netcdf4::conventions::{
    CLASS, DEPTH, DIMENSION_SCALE, DIMENSION_WITHOUT_VARIABLE, MAX_NAME, NAME, NON_COORDINATE_PREFIX,
};
use crate::format::netcdf4::read::attributes::text;
use crate::format::netcdf4::read::damage::Damage;
use crate::format::netcdf4::read::reference::object_names::ObjectNames;
use crate::format::netcdf4::read::user_path::user_path;
use crate::threads::{self, try_map};

/// Number of characters that a warning shows of a name that is too long.
const SHOWN: usize = 32;

/// Smallest number of object headers that one thread reads. Fewer are not worth a thread.
const BATCH: usize = 64;

/// Number of object headers to read before their memory is counted.
const ROUND: usize = 1024;

/// All objects of the file.
pub struct Hierarchy {
    /// The root first, a child after its parent.
    pub groups: Vec<FoundGroup>,
    /// The objects that were left out, and why.
    pub warnings: Vec<String>,
    /// The links into files that may not be read, and why.
    pub refused: Vec<String>,
    /// The external links of all groups.
    pub links: Vec<ExternalLink>,
    /// What is wrong with a file that may be damaged.
    pub damage: Damage,
}

/// A link to an object of another file.
pub struct ExternalLink {
    /// Path of the link.
    pub path: String,
    /// Index of the file that has the link.
    pub from: usize,
    /// The name of the other file, as stored.
    pub file: String,
}

/// A group.
pub struct FoundGroup {
    /// Name of its link; empty for the root.
    pub name: String,
    /// Path with a `/` at the end.
    pub path: String,
    /// Index of the parent group.
    pub parent: Option<usize>,
    /// The object's identity.
    pub id: ObjectId,
    /// Its attributes.
    pub attributes: Vec<FoundAttribute>,
    /// Its committed datatypes.
    pub types: Vec<FoundType>,
    /// Its datasets.
    pub datasets: Vec<FoundDataset>,
}

/// A committed datatype.
pub struct FoundType {
    /// Name of its link.
    pub name: String,
    /// Position among the members of the group.
    pub order: usize,
    /// The object's identity.
    pub id: ObjectId,
    /// The type.
    pub datatype: Datatype,
}

/// A dataset.
pub struct FoundDataset {
    /// Name of its link.
    pub name: String,
    /// Position among the members of the group.
    pub order: usize,
    /// The object's identity.
    pub id: ObjectId,
    /// Its header.
    pub dataset: Arc<Dataset>,
    /// Its attributes.
    pub attributes: Vec<FoundAttribute>,
}

impl FoundDataset {
    /// The attribute with this name, which must be one that netCDF reserves.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        let mut stored = self.attributes.iter().filter_map(FoundAttribute::stored);
        stored.find(|a| a.name == name)
    }
}

/// A group that is not read yet.
struct Pending {
    name: String,
    parent: Option<usize>,
    id: ObjectId,
    attributes: Vec<FoundAttribute>,
    depth: usize,
}

/// Reads the whole hierarchy.
///
/// # Errors
/// If the file is damaged, unless the linker has opened it as such: then what is wrong is told in the hierarchy. Objects that
/// netCDF cannot hold are left out with a warning.
pub fn read(linker: &mut Linker) -> Result<Hierarchy> {
    let mut found = Hierarchy {
        groups: Vec::new(),
        warnings: Vec::new(),
        refused: Vec::new(),
        links: Vec::new(),
        damage: Damage::new(linker.is_damaged()),
    };
    let damaged = linker.is_damaged();
    let root = linker.root();
    let described = describe(&linker.files()[root.file].file, root, "/", damaged)?;
    let What::Group(attributes) = described.what else {
        return Err(Error::Damaged("the root is not a group".into()));
    };
    found.warnings.extend(described.warnings);
    found.damage.add(described.faults);
    let mut pending = vec![Pending {
        name: String::new(),
        parent: None,
        id: root,
        attributes: kept(&attributes),
        depth: 0,
    }];
    let mut repeats = Repeats::default();
    let none = BTreeSet::new();
    while let Some(group) = pending.pop() {
        let path = match group.parent {
            None => "/".to_owned(),
            Some(parent) => format!("{}{}/", found.groups[parent].path, group.name),
        };
        let index = found.groups.len();
        found.groups.push(FoundGroup {
            name: group.name,
            path: path.clone(),
            parent: group.parent,
            id: group.id,
            attributes: group.attributes,
            types: Vec::new(),
            datasets: Vec::new(),
        });
        let mut members = Vec::new();
        let file = linker.files()[group.id.file].file.clone();
        let links = links_of(&file, group.id, &path, &mut found.damage)?;
        repeats.meet_links(group.id, &path, links.len())?;
        let mut names = HashSet::new();
        for link in links {
            let own = link
                .name
                .strip_prefix(NON_COORDINATE_PREFIX)
                .unwrap_or(&link.name);
            if own.len() > MAX_NAME {
                let shown: String = link.name.chars().take(SHOWN).collect();
                found.warnings.push(format!(
                    "{path}{shown}… is left out: its name of {} bytes is longer than netCDF's {MAX_NAME}",
                    link.name.len()
                ));
                continue;
            }
            if !names.insert(link.name.clone()) {
                let name = &link.name;
                found
                    .warnings
                    .push(format!("{path}{name} is left out: another link has this name"));
                continue;
            }
            if let LinkTarget::External { file, .. } = &link.target {
                found.links.push(ExternalLink {
                    path: format!("{path}{}", link.name),
                    from: group.id.file,
                    file: file.clone(),
                });
            }
            let left = |why: String| format!("{path}{} is left out: {why}", link.name);
            match linker.follow(group.id, &link.target) {
                Ok(id) => members.push((link.name, id)),
                Err(Unfollowed::Left(why)) => found.warnings.push(left(why)),
                Err(Unfollowed::Refused(why)) => found.refused.push(left(why)),
                Err(Unfollowed::Failed(e)) => found
                    .damage
                    .tolerate(e.in_variable(&user_path(&format!("{path}{}", link.name))))?,
            }
        }
        let files = linker.files();
        let recovered = files[group.id.file].file.recovered();
        let unnamed = recovered.map(|recovered| &recovered.unnamed).unwrap_or(&none);
        let mut children = Vec::new();
        let mut members = members.into_iter();
        let (mut order, mut fetched) = (0, 0);
        while !members.as_slice().is_empty() {
            let rest = members.as_slice();
            if fetched == 0 {
                fetched = prefetch(&file, group.id.file, rest).clamp(1, rest.len());
            }
            let count = ROUND.min(fetched);
            fetched -= count;
            let round = rest.get(..count).unwrap_or(rest);
            let round = try_map(threads::count(), BATCH, round, |(name, id)| {
                describe(&files[id.file].file, *id, &format!("{path}{name}"), damaged)
            })?;
            for (described, (name, id)) in round.into_iter().zip(members.by_ref()) {
                repeats.meet_object(id, described.attributes())?;
                found.warnings.extend(described.warnings);
                found.damage.add(described.faults);
                match described.what {
                    What::Nothing => {}
                    What::Type(datatype) => found.groups[index].types.push(FoundType {
                        name,
                        order,
                        id,
                        datatype,
                    }),
                    // These are copies. The memory that the round's threads allocated is freed and serves the
                    // next round. An allocator that keeps memory apart by threads would not give it to this
                    // thread.
                    What::Dataset(dataset, attributes) => {
                        let mut dataset = FoundDataset {
                            name,
                            order,
                            id,
                            dataset: Arc::new((*dataset).clone()),
                            attributes: kept(&attributes),
                        };
                        if unnamed.contains(&id.address)
                            && let Some(name) = scale_name(&dataset, &files[id.file])
                            && names.insert(name.clone())
                        {
                            dataset.name = name;
                        }
                        found.groups[index].datasets.push(dataset);
                    }
                    What::Group(_) if found.is_ancestor(index, id) => found.warnings.push(format!(
                        "{path}{name} is left out: it is a group that it is itself in"
                    )),
                    What::Group(_) if group.depth >= DEPTH => found.warnings.push(format!(
                        "{path}{name} is left out: groups are nested more than {DEPTH} deep"
                    )),
                    What::Group(attributes) => children.push(Pending {
                        name,
                        parent: Some(index),
                        id,
                        attributes: kept(&attributes),
                        depth: group.depth + 1,
                    }),
                }
                order += 1;
            }
        }
        pending.extend(children.into_iter().rev());
    }
    Ok(found)
}

/// The name that a dimension scale has itself, which is that of its link as a rule; `None` for another dataset, or if its dimension has
/// no variable.
fn scale_name(found: &FoundDataset, file: &OpenFile) -> Option<String> {
    let class = text(found.attribute(CLASS)?, file)?;
    let name = text(found.attribute(NAME)?, file)?;
    let is_name = class.trim_end() == DIMENSION_SCALE
        && is_link_name(&name)
        && name.len() <= MAX_NAME
        && !name.starts_with(DIMENSION_WITHOUT_VARIABLE);
    is_name.then_some(name)
}

/// The attributes of an object, in the form to keep.
fn kept(stored: &[Attribute]) -> Vec<FoundAttribute> {
    stored.iter().map(FoundAttribute::of).collect()
}

impl Hierarchy {
    /// Names of the objects of each of `count` files, for references to them.
    pub fn names(&self, count: usize) -> Vec<Arc<ObjectNames>> {
        let objects = self.groups.iter().enumerate().flat_map(|(at, group)| {
            let datasets = group.datasets.iter().map(|d| (d.id, Some(d.name.as_str())));
            let types = group.types.iter().map(|t| (t.id, Some(t.name.as_str())));
            let all = std::iter::once((group.id, None)).chain(datasets).chain(types);
            all.map(move |(id, name)| ((id.file, id.address), at, name))
        });
        ObjectNames::of_files(
            count,
            self.groups.iter().map(|group| group.path.as_str()),
            objects,
        )
    }

    /// True if `id` is the group at `index` or one of its parents.
    fn is_ancestor(&self, index: usize, id: ObjectId) -> bool {
        let mut at = Some(index);
        while let Some(i) = at {
            if self.groups[i].id == id {
                return true;
            }
            at = self.groups[i].parent;
        }
        false
    }
}

/// Prefetches from a slow source what [`describe`] reads of a group's members, and the links of member
/// groups. Considers only members in the group's own file, which has index `number`. Returns how many
/// members, from the first on, can be described now.
fn prefetch(file: &File, number: usize, members: &[(String, ObjectId)]) -> usize {
    file.prefetch(members, |file, (_, id)| {
        if id.file != number {
            return;
        }
        if describe(file, *id, "", false).is_ok_and(|found| matches!(found.what, What::Group(_))) {
            let _ = file.object(id.address).and_then(|object| file.links(&object));
        }
    })
}

/// The links of a group. Of a damaged file, those that can be read.
fn links_of(file: &File, group: ObjectId, path: &str, damage: &mut Damage) -> Result<Vec<Link>> {
    if !damage.is_tolerated() {
        let object = file.object(group.address).map_err(hdf5_error)?;
        return Ok(file.links(&object).map_err(hdf5_error)?.links);
    }
    let (file, faults) = file.tolerating();
    let read = file.object(group.address).and_then(|object| {
        // What is wrong with the header was told when the group was described.
        drop(faults.take());
        file.links(&object)
    });
    let (links, error) = match read {
        Ok(links) => (links.links, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let mut errors = faults.take().into_iter().chain(error);
    if let Some(first) = errors.next() {
        // One block that cannot be read is met again with each link in it.
        let more = match errors.count() {
            0 => String::new(),
            n => format!("; and {n} more"),
        };
        damage.add([Fault::new(format!("the links of group {path}: {first}{more}"))]);
    }
    Ok(links)
}
