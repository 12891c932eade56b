//! [`Headers`]: what a file's object headers have beside the storage of data.

use ncutils_hdf5::{
    AttributeSpec, Dataset, DatatypeSpec, Fill, FillSpec, LinkSpec, LinkTarget, Object, ObjectId, ObjectKind,
    ObjectProperties, ObjectSpecKind,
};

use super::super::addressed::elements::{CopiedObjects, VerbatimShape};
use super::super::attachments::keep_copied;
use super::super::damage::left;
use super::super::hierarchy::{Hierarchy, HierarchyObject};
use crate::error::{Error, Result};
use crate::format::netcdf4::hdf5_error::hdf5_error;

/// The headers of the objects that were found in a file.
#[derive(Clone, Copy)]
pub(in super::super) struct Headers<'a> {
    pub(in super::super) hierarchy: &'a Hierarchy,
    pub(in super::super) places: CopiedObjects<'a>,
}

impl<'a> Headers<'a> {
    /// What was found of an object.
    pub(in super::super) fn item(&self, id: ObjectId) -> Result<&'a HierarchyObject> {
        let item = self.hierarchy.items.get(id.0);
        item.ok_or_else(|| Error::Internal(format!("there is no object {}", id.0)))
    }

    /// The object itself.
    pub(in super::super) fn object(&self, item: &HierarchyObject) -> Result<Object> {
        self.places.file.object(item.address).map_err(hdf5_error)
    }

    /// An error with the path of the object.
    pub(in super::super) fn named(&self, id: ObjectId, error: Error) -> Error {
        match self.hierarchy.items.get(id.0) {
            Some(item) => error.in_variable(&self.hierarchy.path(item)),
            None => error,
        }
    }

    /// The content of a group or of a committed datatype; `None` for a dataset.
    pub(in super::super) fn kind(
        &self,
        item: &HierarchyObject,
        object: &Object,
    ) -> Result<Option<ObjectSpecKind>> {
        let file = self.places.file;
        Ok(match item.kind {
            ObjectKind::Group => Some(ObjectSpecKind::Group {
                links: self.links(object)?,
            }),
            ObjectKind::NamedDatatype => Some(ObjectSpecKind::EncodedDatatype(
                file.named_datatype(object).map_err(hdf5_error)?,
                file.datatype_message(object).map_err(hdf5_error)?,
            )),
            _ => None,
        })
    }

    fn links(&self, group: &Object) -> Result<Vec<(String, LinkSpec)>> {
        let links = self.hierarchy.links(self.places.file, group)?.into_iter();
        let links = links.map(|link| {
            let target = match link.target {
                LinkTarget::Hard(address) => LinkSpec::Hard(self.id(address)?),
                LinkTarget::Soft(path) => LinkSpec::Soft(path),
                LinkTarget::External { file, path } => LinkSpec::External { file, path },
                LinkTarget::UserDefined { class, data } => LinkSpec::UserDefined { class, data },
                _ => return Err(Error::Unsupported(format!("the link {}", link.name))),
            };
            Ok((link.name, target))
        });
        links.collect()
    }

    /// Properties of an object; the default ones if it is damaged.
    pub(in super::super) fn properties(&self, object: &Object) -> Result<ObjectProperties> {
        let properties = self.places.file.properties(object);
        match &self.hierarchy.losses {
            Some(_) => Ok(left(properties)?.unwrap_or_default()),
            None => Ok(properties.map_err(hdf5_error)?),
        }
    }

    /// The committed datatype at an address, if there is one; `None` also if it is lost.
    pub(in super::super) fn committed(&self, address: Option<u64>) -> Result<Option<ObjectId>> {
        let is_lost = |address: &u64| self.hierarchy.selection.left_out.contains(address);
        let left = address.filter(|address| !is_lost(address));
        left.map(|address| self.id(address)).transpose()
    }

    fn id(&self, address: u64) -> Result<ObjectId> {
        let id = self.hierarchy.ids.get(&address).copied();
        id.ok_or_else(|| Error::Internal(format!("the object at address {address} was not found before")))
    }

    /// The attributes of an object.
    pub(in super::super) fn attributes(&self, object: &Object) -> Result<Vec<AttributeSpec>> {
        let mut all = self.hierarchy.attributes(self.places.file, object)?;
        if !self.hierarchy.selection.left_out.is_empty() {
            let is_copied = |address| self.places.objects.contains_key(&address);
            keep_copied(&mut all, self.hierarchy, self.places.file, &is_copied)?;
        }
        let all = all.into_iter().map(|attribute| {
            let shape = VerbatimShape::new(&attribute.datatype, self.places.file.offset_size())?;
            Ok(AttributeSpec {
                datatype: match self.committed(attribute.committed)? {
                    Some(id) => DatatypeSpec::Committed(id, attribute.datatype),
                    None if attribute.encoded_datatype.is_empty() => DatatypeSpec::Inline(attribute.datatype),
                    None => DatatypeSpec::Encoded(attribute.datatype, attribute.encoded_datatype.to_vec()),
                },
                name: attribute.name,
                dataspace: attribute.dataspace,
                data: shape.data(attribute.data, &self.places)?,
            })
        });
        all.collect()
    }

    /// The datatype of a dataset, as the file has it.
    pub(in super::super) fn datatype(&self, object: &Object, dataset: &Dataset) -> Result<DatatypeSpec> {
        let datatype = dataset.datatype.clone();
        Ok(match self.committed(dataset.committed)? {
            Some(id) => DatatypeSpec::Committed(id, datatype),
            None => DatatypeSpec::Encoded(
                datatype,
                self.places.file.datatype_message(object).map_err(hdf5_error)?,
            ),
        })
    }

    /// The fill value of a dataset.
    pub(in super::super) fn fill(&self, dataset: &Dataset) -> Result<FillSpec> {
        let shape = VerbatimShape::new(&dataset.datatype, self.places.file.offset_size())?;
        Ok(match &dataset.fill.value {
            Fill::Undefined => FillSpec::Undefined,
            Fill::Default => FillSpec::Default,
            Fill::Defined(bytes) => FillSpec::Defined(Box::new(shape.data(bytes.clone(), &self.places)?)),
        })
    }
}
