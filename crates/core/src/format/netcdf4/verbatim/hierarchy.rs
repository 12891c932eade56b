//! Finds the objects of a file: those that hard links lead to, and the committed datatypes that they use.

use std::collections::HashMap;

use ncutils_hdf5::{Attribute, File, LinkTarget, Object, ObjectId, ObjectKind};

use super::selection::Selection;
use crate::error::{Error, Result};
use crate::model::VarId;

/// One object.
pub(super) struct Item {
    /// Address of its header.
    pub(super) address: u64,
    /// The first path to it.
    pub(super) path: String,
    /// What it is.
    pub(super) kind: ObjectKind,
    /// The variable that it is for the engine, for a dataset that has one.
    pub(super) var: Option<VarId>,
    /// The variable that it is among those whose elements hold addresses, for a dataset that is one.
    pub(super) addressed: Option<VarId>,
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

    fn add(&mut self, address: u64, path: String) {
        let id = ObjectId(self.items.len());
        if self.ids.contains_key(&address) {
            return;
        }
        self.ids.insert(address, id);
        self.items.push(Item {
            address,
            path,
            kind: ObjectKind::Unknown,
            var: None,
            addressed: None,
        });
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
    all.add(file.root(), "/".to_owned());
    let mut next = 0;
    while let Some(item) = all.items.get(next) {
        let (address, path) = (item.address, item.path.clone());
        let kind = visit(file, &mut all, address, &path).map_err(|error| error.in_variable(&path))?;
        all.items[next].kind = kind;
        next += 1;
    }
    Ok(all)
}

/// Adds what an object leads to.
fn visit(file: &File, all: &mut Hierarchy, address: u64, path: &str) -> Result<ObjectKind> {
    let object = file.object(address)?;
    match object.kind {
        ObjectKind::Group => {
            for link in file.links(&object)?.links {
                let below = format!("{}/{}", path.trim_end_matches('/'), link.name);
                if let LinkTarget::Hard(target) = &link.target
                    && !all.selection.left_out.contains(target)
                {
                    all.add(*target, below);
                }
            }
        }
        ObjectKind::Dataset => {
            let dataset = file.dataset(&object)?;
            if let Some(committed) = dataset.committed {
                all.add(committed, format!("the datatype of {path}"));
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
            all.add(committed, format!("the datatype of {path}:{}", attribute.name));
        }
    }
    Ok(object.kind)
}

/// The attributes of an object, all of which must be readable.
pub(super) fn attributes(file: &File, object: &Object) -> Result<Vec<Attribute>> {
    let attributes = file.attributes(object)?.into_iter();
    Ok(attributes.collect::<ncutils_hdf5::Result<_>>()?)
}
