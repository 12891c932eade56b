//! What is lost of the objects of a damaged file.
//!
//! ```text
//! object ─► inspect: attributes, links, header ─► faults, and what the copy leaves out
//! element ─► LostElements: what heaps no longer hold ─► null in the copy, one fault for each dataset
//! ```

use crate::format::netcdf4::hdf5_error::hdf5_error;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::sync::atomic::AtomicU64;

use ncutils_hdf5::{Attribute, Dataset, Datatype, File, Fill, Layout, Object, ObjectKind, is_link_name};

use super::addressed::elements::{CopiedObjects, VerbatimShape};
use super::addressed::lost_elements::fault;
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::format::Fault;

/// What is wrong with the objects of a file, and what the copy leaves out for it.
#[derive(Default)]
pub(super) struct Losses {
    /// What is wrong, in the order in which it was found.
    pub(super) faults: Vec<Fault>,
    /// The objects that cannot be read, by their addresses.
    pub(super) objects: HashSet<u64>,
    /// Attributes whose values cannot be read: the address of the object, and the name.
    attributes: HashSet<(u64, String)>,
    /// The first failure of the store, which is no damage and ends the reading.
    failure: Option<Error>,
}

impl Losses {
    /// Notes what is wrong with the object at a path.
    pub(super) fn note(&mut self, path: &str, errors: Vec<ncutils_hdf5::Error>) {
        for error in errors {
            self.tell(path, hdf5_error(error), Fault::of);
        }
    }

    /// Notes an object that cannot be read.
    pub(super) fn object(&mut self, address: u64, path: &str, error: Error) {
        self.objects.insert(address);
        self.tell(path, error, Fault::of);
    }

    /// Tells an error in the object at a path, unless the store failed.
    fn tell(&mut self, path: &str, error: Error, told: impl FnOnce(&Error) -> Fault) {
        match error.is_failure() {
            true => self.failure = self.failure.take().or(Some(error)),
            false => self.faults.push(fault(path, told(&error))),
        }
    }

    /// Fails if the store did so far.
    ///
    /// # Errors
    /// The store's failure.
    pub(super) fn check_store(&mut self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Looks at what an object has besides its data, and notes what the copy leaves out.
    ///
    /// # Errors
    /// A dataset cannot be defined as its header tells.
    pub(super) fn inspect(&mut self, file: &File, object: &Object, path: &str) -> Result<()> {
        let attributes = file.attributes(object).unwrap_or_else(|error| vec![Err(error)]);
        let mut names = HashSet::new();
        for attribute in attributes {
            let (name, error) = match attribute {
                Ok(attribute) => match readable(file, &attribute.datatype, attribute.data) {
                    Ok(()) => {
                        if let Some(name) = names.replace(attribute.name) {
                            let told = format!("a second attribute {name}, which is left out");
                            self.faults.push(fault(path, Fault::new(told)));
                        }
                        continue;
                    }
                    Err(error) => (Some(attribute.name), error),
                },
                Err(error) => (None, hdf5_error(error)),
            };
            let what = match &name {
                Some(name) => format!("attribute {name}"),
                None => "an attribute".to_owned(),
            };
            self.tell(path, error, |error| {
                Fault::new(format!("{what} cannot be read: {error}"))
            });
            self.attributes.extend(name.map(|name| (object.address, name)));
        }
        match object.kind {
            ObjectKind::Group => {
                self.inspect_links(file, object, path);
                Ok(())
            }
            ObjectKind::NamedDatatype => Ok(file.named_datatype(object).map(drop).map_err(hdf5_error)?),
            ObjectKind::Dataset => definable(file, &file.dataset(object).map_err(hdf5_error)?),
            _ => Ok(()),
        }
    }

    fn inspect_links(&mut self, file: &File, group: &Object, path: &str) {
        let told = |why: &dyn Display| Fault::new(format!("the links of group {path}: {why}"));
        let links = match file.links(group) {
            Ok(links) => links.links,
            Err(error) => return self.tell(path, hdf5_error(error), |error| Fault::new(told(error).cause)),
        };
        let mut names = HashSet::new();
        for name in links.into_iter().map(|link| link.name) {
            let shown = name.escape_default();
            let why = match is_link_name(&name) {
                false => format!("`{shown}` cannot be the name of a link"),
                true if names.contains(&name) => format!("a second link `{shown}`, which is left out"),
                true => {
                    names.insert(name);
                    continue;
                }
            };
            self.faults.push(told(&why));
        }
    }

    /// The attributes of an object that can be read. Of two with one name, the first.
    ///
    /// # Errors
    /// The store fails.
    pub(super) fn left_attributes(&self, file: &File, object: &Object) -> Result<Vec<Attribute>> {
        let attributes = left(file.attributes(object))?.unwrap_or_default();
        let mut names = HashSet::new();
        let mut all = Vec::new();
        for attribute in attributes {
            let Some(attribute) = left(attribute)? else {
                continue;
            };
            let name = (object.address, attribute.name.clone());
            if !self.attributes.contains(&name) && names.insert(name.1) {
                all.push(attribute);
            }
        }
        Ok(all)
    }
}

/// What could be read of a damaged file; `None` for damage.
///
/// # Errors
/// The store fails.
pub(super) fn left<T>(read: ncutils_hdf5::Result<T>) -> Result<Option<T>> {
    match read.map_err(hdf5_error) {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.is_failure() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Finds out whether elements of a type can be converted for a copy.
fn readable(file: &File, datatype: &Datatype, bytes: Vec<u8>) -> Result<()> {
    let places = CopiedObjects {
        file,
        objects: &HashMap::new(),
        lost: &AtomicU64::new(0),
        size: file.end(),
        lost_elements: None,
    };
    VerbatimShape::new(datatype, file.offset_size())?
        .data(bytes, &places)
        .map(drop)
}

/// Finds out whether a dataset can be defined in a copy.
fn definable(file: &File, dataset: &Dataset) -> Result<()> {
    let value = match &dataset.fill.value {
        Fill::Defined(bytes) => bytes.clone(),
        _ => Vec::new(),
    };
    readable(file, &dataset.datatype, value)?;
    match &dataset.layout {
        Layout::Chunked(chunked) => ChunkGrid::new(dataset.dataspace.dims(), &chunked.shape).map(drop),
        Layout::Virtual { .. } => Ok(file.virtual_mappings(dataset).map(drop).map_err(hdf5_error)?),
        _ => Ok(()),
    }
}
