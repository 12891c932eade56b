//! Finds the objects of a file: those that hard links lead to, and the committed datatypes that they use.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::{HashMap, HashSet};

use ncutils_hdf5::{Attribute, File, Link, LinkTarget, Object, ObjectId, ObjectKind, is_link_name};

use super::damage::{Losses, left};
use super::selection::Selection;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::format::netcdf4::conventions::{CLASS, DEPTH, DIMENSION_SCALE, QUANTIZED};
use crate::model::{self, Type, Values, VarId};

/// One object.
pub(super) struct HierarchyObject {
    /// Address of its header.
    pub(super) address: u64,
    /// How it was found first.
    found: FoundBy,
    /// Number of groups around it.
    depth: usize,
    /// What it is.
    pub(super) kind: ObjectKind,
    /// The variable that it is for the engine, for a dataset that has one.
    pub(super) var: Option<VarId>,
    /// The variable that it is among those whose elements hold addresses, for a dataset that is one.
    pub(super) addressed: Option<VarId>,
    /// True for a dimension scale.
    pub(super) is_scale: bool,
    /// The attribute that says how its values were quantized, for a dataset that has one.
    pub(super) quantized: Option<model::Attribute>,
}

/// How an object was found. Paths are put together when they are needed: they would take much memory in deep files.
enum FoundBy {
    Root,
    /// By a link of this name in a group.
    Link(ObjectId, String),
    /// As the datatype of an object, or of its attribute of this name.
    Datatype(ObjectId, Option<String>),
}

/// All objects, the root first.
pub(super) struct Hierarchy {
    /// The objects. An object's number is that of its copy.
    pub(super) items: Vec<HierarchyObject>,
    /// The objects by address.
    pub(super) ids: HashMap<u64, ObjectId>,
    /// What cannot be copied, a line each.
    pub(super) warnings: Vec<String>,
    /// What the user asked for. What cannot be read of a damaged file is left out too.
    pub(super) selection: Selection,
    /// What is lost of a file that may be damaged; `None` for any other file, whose first error ends the reading.
    pub(super) losses: Option<Losses>,
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
    pub(super) fn is_without_data(&self, item: &HierarchyObject) -> bool {
        self.selection.without_data.contains(&item.address)
    }

    /// True if the elements of a dataset that hold addresses are written as those of `part` that can be read, and not as they
    /// are stored: it is cut in the part, or the file may be damaged.
    pub(super) fn is_rewritten(&self, (whole, part): (&dyn Reader, &dyn Reader), var: VarId) -> bool {
        self.losses.is_some() || whole.schema().shape(var) != part.schema().shape(var)
    }

    /// The first path to an object, for messages and names.
    pub(super) fn path(&self, item: &HierarchyObject) -> String {
        let (of, mut path) = match &item.found {
            FoundBy::Root => return "/".to_owned(),
            FoundBy::Link(group, name) => (*group, format!("/{name}")),
            FoundBy::Datatype(object, attribute) => {
                let path = self.path(&self.items[object.0]);
                return match attribute {
                    None => format!("the datatype of {path}"),
                    Some(attribute) => format!("the datatype of {path}:{attribute}"),
                };
            }
        };
        let mut around = of;
        while let Some(FoundBy::Link(group, name)) = self.items.get(around.0).map(|item| &item.found) {
            path.insert_str(0, name);
            path.insert(0, '/');
            around = *group;
        }
        path
    }

    /// The group of an object that was found by a link, and the link's name.
    pub(super) fn link(&self, item: &HierarchyObject) -> Option<(ObjectId, String)> {
        match &item.found {
            FoundBy::Link(group, name) => Some((*group, name.clone())),
            _ => None,
        }
    }

    /// The links of a group, but for those to what is left out. Of a damaged file, those that can be read.
    pub(super) fn links(&self, file: &File, group: &Object) -> Result<Vec<Link>> {
        let links = file.links(group);
        let mut links = match &self.losses {
            Some(_) => left(links)?.map(|links| links.links).unwrap_or_default(),
            None => links.map_err(hdf5_error)?.links,
        };
        let left_out = &self.selection.left_out;
        links.retain(|link| !matches!(link.target, LinkTarget::Hard(to) if left_out.contains(&to)));
        if self.losses.is_some() {
            let mut names = HashSet::new();
            links.retain(|link| is_link_name(&link.name) && names.insert(link.name.clone()));
        }
        Ok(links)
    }

    /// The attributes of an object, all of which must be readable. Of a damaged file, those that can be read.
    pub(super) fn attributes(&self, file: &File, object: &Object) -> Result<Vec<Attribute>> {
        match &self.losses {
            Some(losses) => losses.left_attributes(file, object),
            None => {
                let attributes = file.attributes(object).map_err(hdf5_error)?.into_iter();
                Ok(attributes
                    .collect::<ncutils_hdf5::Result<_>>()
                    .map_err(hdf5_error)?)
            }
        }
    }

    fn add(&mut self, address: u64, found: FoundBy) -> Result<()> {
        let id = ObjectId(self.items.len());
        if self.ids.contains_key(&address) || self.selection.left_out.contains(&address) {
            return Ok(());
        }
        let depth = match &found {
            FoundBy::Root => 0,
            FoundBy::Link(of, _) | FoundBy::Datatype(of, _) => self.items[of.0].depth + 1,
        };
        if depth > DEPTH {
            return Err(Error::Unsupported(format!(
                "groups nested more than {DEPTH} deep"
            )));
        }
        self.ids.insert(address, id);
        self.items.push(HierarchyObject {
            address,
            found,
            depth,
            kind: ObjectKind::Unknown,
            var: None,
            addressed: None,
            is_scale: false,
            quantized: None,
        });
        Ok(())
    }
}

/// Finds all objects that are selected. Those of a file that may be damaged are left out where they cannot be read.
///
/// # Errors
/// An object is damaged, or its kind is not known; of a file that may be damaged, the root group. The store fails.
pub(super) fn read(file: &File, selection: Selection, damaged: bool) -> Result<Hierarchy> {
    let mut all = find(file, selection.clone(), damaged.then(Losses::default))?;
    let Some(losses) = all.losses.take_if(|losses| !losses.objects.is_empty()) else {
        return Ok(all);
    };
    // Objects are numbered as they are found, so those that turned out to be lost are left out from the beginning.
    let mut selection = selection;
    selection.left_out.extend(&losses.objects);
    let mut left = find(file, selection, Some(Losses::default()))?;
    left.losses = Some(losses);
    Ok(left)
}

fn find(file: &File, selection: Selection, losses: Option<Losses>) -> Result<Hierarchy> {
    let mut all = Hierarchy {
        items: Vec::new(),
        ids: HashMap::new(),
        warnings: Vec::new(),
        selection,
        losses,
    };
    all.add(file.root(), FoundBy::Root)?;
    let mut next = 0;
    while let Some(item) = all.items.get(next) {
        let address = item.address;
        let kind = match all.losses.is_some() {
            true => visit_damaged(file, &mut all, address, ObjectId(next))?,
            false => visit(file, &mut all, address, ObjectId(next))
                .map_err(|error| error.in_variable(&all.path(&all.items[next])))?,
        };
        all.items[next].kind = kind;
        next += 1;
    }
    Ok(all)
}

/// Adds what an object of a damaged file leads to, as far as it can be read, and notes what is wrong with it.
///
/// # Errors
/// The root group cannot be read; the store fails.
fn visit_damaged(file: &File, all: &mut Hierarchy, address: u64, id: ObjectId) -> Result<ObjectKind> {
    let (file, noted) = file.tolerating();
    let path = all.path(&all.items[id.0]);
    let mut losses = all.losses.take().unwrap_or_default();
    let inspected = file
        .object(address)
        .map_err(hdf5_error)
        .and_then(|object| match object.kind {
            ObjectKind::Unknown if id.0 == 0 => Err(Error::Damaged("the root is not a group".to_owned())),
            _ => losses.inspect(&file, &object, &path),
        });
    losses.note(&path, noted.take());
    let store = losses.check_store();
    all.losses = Some(losses);
    store.map_err(|error| error.in_variable(&path))?;
    let visited = inspected.and_then(|()| visit(&file, all, address, id));
    match (visited, &mut all.losses) {
        (Err(error), Some(losses)) if id.0 > 0 && !error.is_failure() => {
            losses.object(address, &path, error);
            Ok(ObjectKind::Unknown)
        }
        (visited, _) => visited,
    }
}

/// Adds what an object leads to.
fn visit(file: &File, all: &mut Hierarchy, address: u64, id: ObjectId) -> Result<ObjectKind> {
    let object = file.object(address).map_err(hdf5_error)?;
    match object.kind {
        ObjectKind::Group => {
            for link in all.links(file, &object)? {
                if let LinkTarget::Hard(target) = link.target {
                    all.add(target, FoundBy::Link(id, link.name))?;
                }
            }
        }
        ObjectKind::Dataset => {
            let dataset = file.dataset(&object).map_err(hdf5_error)?;
            if let Some(committed) = dataset.committed {
                all.add(committed, FoundBy::Datatype(id, None))?;
            }
        }
        ObjectKind::NamedDatatype => {}
        _ => {
            return Err(Error::Unsupported(
                "an object that is neither a group nor a dataset nor a datatype".to_owned(),
            ));
        }
    }
    for attribute in all.attributes(file, &object)? {
        let item = &mut all.items[id.0];
        item.is_scale |= attribute.name == CLASS && attribute.data.starts_with(DIMENSION_SCALE.as_bytes());
        if attribute.name.starts_with(QUANTIZED) {
            item.quantized = Some(quantized(&attribute));
        }
        if let Some(committed) = attribute.committed {
            all.add(committed, FoundBy::Datatype(id, Some(attribute.name)))?;
        }
    }
    Ok(object.kind)
}

/// An attribute that says how values were quantized, as netCDF has it.
fn quantized(attribute: &Attribute) -> model::Attribute {
    let digits = attribute.data.first_chunk::<4>();
    model::Attribute {
        name: attribute.name.clone(),
        ty: Type::Int,
        length: 1,
        values: Values::from_bytes(digits.copied().unwrap_or_default().to_vec()),
    }
}
