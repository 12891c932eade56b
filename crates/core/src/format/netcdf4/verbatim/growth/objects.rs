//! The objects of a file that grows: the old headers, with what leads to the new data.

use std::borrow::Cow;
use std::collections::HashMap;

use ncutils_hdf5::{
    DatasetSpec, Dataspace, Layout, LayoutSpec, Object, ObjectId, ObjectKind, ObjectSource, ObjectSpec,
    ObjectSpecKind,
};

use super::datasets::Datasets;
use crate::error::{Error, Result};
use crate::format::netcdf4::hdf5_error::{SourceError, hdf5_error};
use crate::format::netcdf4::verbatim::addressed::elements::{CopiedObjects, VerbatimShape};
use crate::format::netcdf4::verbatim::hierarchy::{Hierarchy, HierarchyObject};
use crate::format::netcdf4::verbatim::specs::Headers;
use crate::format::netcdf4::write::DatasetTree;
use crate::model::{Schema, VarId};

/// The objects of the file, each made on request.
pub(super) struct GrownObjects<'a> {
    headers: Headers<'a>,
    datasets: &'a Datasets,
    /// Scales without data of dimensions that grow, and their new lengths.
    scales: HashMap<ObjectId, u64>,
}

impl<'a> GrownObjects<'a> {
    /// The objects of the file with these datasets.
    ///
    /// # Errors
    /// Data holds references to objects, whose headers move.
    pub(super) fn new(
        hierarchy: &'a Hierarchy,
        places: CopiedObjects<'a>,
        schema: &Schema,
        datasets: &'a Datasets,
    ) -> Result<Self> {
        let headers = Headers { hierarchy, places };
        let mut scales = HashMap::new();
        for dim in &schema.dims {
            let path = schema.path_in(dim.group, &dim.name);
            let Ok(object) = places.file.open_path(&path) else {
                continue;
            };
            let id = hierarchy.ids.get(&object.address).copied();
            if let Some(id) =
                id.filter(|id| hierarchy.items[id.0].is_scale && !datasets.grown.contains_key(id))
            {
                scales.insert(id, dim.length);
            }
        }
        let all = Self {
            headers,
            datasets,
            scales,
        };
        for item in hierarchy
            .items
            .iter()
            .filter(|item| item.kind == ObjectKind::Dataset)
        {
            let checked = all.check(item);
            checked.map_err(|error| error.in_variable(&hierarchy.path(item)))?;
        }
        Ok(all)
    }

    fn check(&self, item: &HierarchyObject) -> Result<()> {
        let file = self.headers.places.file;
        let object = file.object(item.address).map_err(hdf5_error)?;
        let dataset = file.dataset(&object).map_err(hdf5_error)?;
        let shape = VerbatimShape::new(&dataset.datatype, file.offset_size())?;
        let is_empty = dataset.dataspace.count() == Some(0);
        match shape.has_references() && !is_empty {
            true => Err(Error::Unsupported(
                "adding to a file with references among its data".to_owned(),
            )),
            false => Ok(()),
        }
    }

    fn make(&self, id: ObjectId) -> Result<ObjectSpec> {
        let item = self.headers.item(id)?;
        let object = self.headers.object(item)?;
        let kind = match self.headers.kind(item, &object)? {
            Some(kind) => kind,
            None => ObjectSpecKind::Dataset(self.dataset(id, &object)?),
        };
        Ok(ObjectSpec {
            kind,
            attributes: self.headers.attributes(&object)?,
            properties: self.headers.properties(&object)?,
        })
    }

    fn dataset(&self, id: ObjectId, object: &Object) -> Result<DatasetSpec> {
        let file = self.headers.places.file;
        let dataset = file.dataset(object).map_err(hdf5_error)?;
        let grown = self.datasets.grown.get(&id);
        let layout = match grown {
            Some(grown) => LayoutSpec::Chunked {
                shape: grown.shape.clone(),
                chunk_count: grown.chunk_count,
            },
            None => LayoutSpec::Kept(file.storage_messages(object).map_err(hdf5_error)?),
        };
        let fill = self.headers.fill(&dataset)?;
        let datatype = self.headers.datatype(object, &dataset)?;
        let dataspace = match (grown, self.scales.get(&id)) {
            (Some(grown), _) => longer(dataset.dataspace, &grown.extent)?,
            (None, Some(length)) if matches!(dataset.layout, Layout::Chunked(_)) => {
                longer(dataset.dataspace, &[*length])?
            }
            _ => dataset.dataspace,
        };
        Ok(DatasetSpec {
            datatype,
            dataspace,
            layout,
            allocation_time: dataset.fill.allocation_time,
            fill_time: dataset.fill.fill_time,
            fill,
            filters: dataset.filters,
        })
    }
}

/// A dataspace with a new extent.
///
/// # Errors
/// It cannot have it.
fn longer(dataspace: Dataspace, extent: &[u64]) -> Result<Dataspace> {
    let refuse = |why: String| Err(Error::Unsupported(why));
    let Dataspace::Simple { dims, max_dims } = dataspace else {
        return refuse("adding to a dataset without dimensions".to_owned());
    };
    if dims.len() != extent.len() {
        return refuse(format!("adding to a dataset of {} dimensions", dims.len()));
    }
    let fits = |(max, length): (&Option<u64>, &u64)| max.is_none_or(|max| *length <= max);
    if !max_dims.iter().zip(extent).all(fits) {
        let most = max_dims.iter().zip(extent).find(|pair| !fits(*pair));
        let (most, length) = most.map_or((0, 0), |(max, length)| (max.unwrap_or(0), *length));
        return refuse(format!(
            "growing a dimension to {length}, which has at most {most} elements; a copy with --unlimited has dimensions that grow"
        ));
    }
    Ok(Dataspace::Simple {
        dims: extent.to_vec(),
        max_dims,
    })
}

impl DatasetTree for GrownObjects<'_> {
    fn dataset(&self, var: VarId) -> ObjectId {
        let of_variables = &self.datasets.of_variables;
        of_variables.get(var.0).copied().unwrap_or(ObjectId(0))
    }

    fn is_other_name(&self, var: VarId) -> bool {
        self.datasets.other_names.contains(&var)
    }
}

impl ObjectSource for GrownObjects<'_> {
    type Error = SourceError;

    fn object_count(&self) -> usize {
        self.headers.hierarchy.items.len()
    }

    fn object(&self, id: ObjectId) -> Result<Cow<'_, ObjectSpec>, SourceError> {
        Ok(Cow::Owned(
            self.make(id).map_err(|error| self.headers.named(id, error))?,
        ))
    }
}
