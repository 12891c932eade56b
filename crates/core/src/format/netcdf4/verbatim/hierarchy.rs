//! Finds the objects of a file: those that hard links lead to, and the committed datatypes that they use.

use std::collections::HashMap;

use ncutils_hdf5::{Attribute, File, LinkTarget, Object, ObjectId, ObjectKind};

use super::selection::Selection;
use crate::error::{Error, Result};
use crate::format::netcdf4::conventions::DEPTH;
use crate::model::VarId;

/// One object.
pub(super) struct Item {
    /// Address of its header.
    pub(super) address: u64,
    /// How it was found first.
    found: Found,
    /// Number of groups around it.
    depth: usize,
    /// What it is.
    pub(super) kind: ObjectKind,
    /// The variable that it is for the engine, for a dataset that has one.
    pub(super) var: Option<VarId>,
    /// The variable that it is among those whose elements hold addresses, for a dataset that is one.
    pub(super) addressed: Option<VarId>,
}

/// How an object was found. Paths are put together when they are needed: they would take much memory in deep files.
enum Found {
    Root,
    /// By a link of this name in a group.
    Link(ObjectId, String),
    /// As the datatype of an object, or of its attribute of this name.
    Datatype(ObjectId, Option<String>),
}

/// All objects, the root first.
pub(super) struct Hierarchy {
    /// The objects. An object's number is that of its copy.
    pub(super) items: Vec<Item>,
    /// The objects by address.
    pub(super) ids: HashMap<u64, ObjectId>,
    /// What cannot be copied, a line each.
    pub(super) warnings: Vec<String>,
    /// What the user asked for.
    pub(super) selection: Selection,
}

impl Hierarchy {
    /// The datasets whose elements hold addresses and are copied, and the variables that they are.
    pub(super) fn addressed(&self) -> impl Iterator<Item = (ObjectId, VarId)> {
        let items = self.items.iter().enumerate();
        items
            .filter(|(_, item)| !self.is_without_data(item))
            .filter_map(|(id, item)| Some((ObjectId(id), item.addressed?)))
    }

    /// True if a dataset is defined, and its data is not copied.
    pub(super) fn is_without_data(&self, item: &Item) -> bool {
        self.selection.without_data.contains(&item.address)
    }

    /// The first path to an object, for messages and names.
    pub(super) fn path(&self, item: &Item) -> String {
        let (of, mut path) = match &item.found {
            Found::Root => return "/".to_owned(),
            Found::Link(group, name) => (*group, format!("/{name}")),
            Found::Datatype(object, attribute) => {
                let path = self.path(&self.items[object.0]);
                return match attribute {
                    None => format!("the datatype of {path}"),
                    Some(attribute) => format!("the datatype of {path}:{attribute}"),
                };
            }
        };
        let mut around = of;
        while let Some(Found::Link(group, name)) = self.items.get(around.0).map(|item| &item.found) {
            path.insert_str(0, name);
            path.insert(0, '/');
            around = *group;
        }
        path
    }

    /// The group of an object that was found by a link, and the link's name.
    pub(super) fn link(&self, item: &Item) -> Option<(ObjectId, String)> {
        match &item.found {
            Found::Link(group, name) => Some((*group, name.clone())),
            _ => None,
        }
    }

    fn add(&mut self, address: u64, found: Found) -> Result<()> {
        let id = ObjectId(self.items.len());
        if self.ids.contains_key(&address) {
            return Ok(());
        }
        let depth = match &found {
            Found::Root => 0,
            Found::Link(of, _) | Found::Datatype(of, _) => self.items[of.0].depth + 1,
        };
        if depth > DEPTH {
            return Err(Error::Unsupported(format!(
                "groups nested more than {DEPTH} deep"
            )));
        }
        self.ids.insert(address, id);
        self.items.push(Item {
            address,
            found,
            depth,
            kind: ObjectKind::Unknown,
            var: None,
            addressed: None,
        });
        Ok(())
    }
}

/// Finds all objects that are selected.
///
/// # Errors
/// An object is damaged, or its kind is not known.
pub(super) fn read(file: &File, selection: Selection) -> Result<Hierarchy> {
    let mut all = Hierarchy {
        items: Vec::new(),
        ids: HashMap::new(),
        warnings: Vec::new(),
        selection,
    };
    all.add(file.root(), Found::Root)?;
    let mut next = 0;
    while let Some(item) = all.items.get(next) {
        let address = item.address;
        let kind = visit(file, &mut all, address, ObjectId(next))
            .map_err(|error| error.in_variable(&all.path(&all.items[next])))?;
        all.items[next].kind = kind;
        next += 1;
    }
    Ok(all)
}

/// Adds what an object leads to.
fn visit(file: &File, all: &mut Hierarchy, address: u64, id: ObjectId) -> Result<ObjectKind> {
    let object = file.object(address)?;
    match object.kind {
        ObjectKind::Group => {
            for link in file.links(&object)?.links {
                if let LinkTarget::Hard(target) = &link.target
                    && !all.selection.left_out.contains(target)
                {
                    all.add(*target, Found::Link(id, link.name))?;
                }
            }
        }
        ObjectKind::Dataset => {
            let dataset = file.dataset(&object)?;
            if let Some(committed) = dataset.committed {
                all.add(committed, Found::Datatype(id, None))?;
            }
        }
        ObjectKind::NamedDatatype => {}
        _ => {
            return Err(Error::Unsupported(
                "an object that is neither a group nor a dataset nor a datatype".to_owned(),
            ));
        }
    }
    for attribute in attributes(file, &object)? {
        if let Some(committed) = attribute.committed {
            all.add(committed, Found::Datatype(id, Some(attribute.name)))?;
        }
    }
    Ok(object.kind)
}

/// The attributes of an object, all of which must be readable.
pub(super) fn attributes(file: &File, object: &Object) -> Result<Vec<Attribute>> {
    let attributes = file.attributes(object)?.into_iter();
    Ok(attributes.collect::<ncutils_hdf5::Result<_>>()?)
}
