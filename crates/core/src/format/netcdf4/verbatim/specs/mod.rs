//! The objects of the copy: the input's headers, with the planned storage of datasets.

mod headers;

pub(super) use headers::Headers;

use crate::format::netcdf4::hdf5_error::{SourceError, hdf5_error};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use ncutils_hdf5::{
    AllocationTime, AttributeSpec, ByteOrder, Data, Dataset, DatasetSpec, Dataspace, Datatype, DatatypeSpec,
    Filter, Layout, LayoutSpec, Object, ObjectId, ObjectSource, ObjectSpec, ObjectSpecKind,
};

use super::addressed::elements::CopiedObjects;
use super::addressed::part_of_dataset::AddressedPart;
use super::empty::{EmptyShapes, empty_layout};
use super::hierarchy::Hierarchy;
use crate::error::{Error, Result};
use crate::format::netcdf4::read::codec_specs;
use crate::format::netcdf4::write::{DatasetTree, filters, segments};
use crate::format::{Reader, VariablePlan, Written};
use crate::model::{Schema, Storage, VarId};

/// The objects of the copy, each made on request.
pub(super) struct Specs<'a> {
    headers: Headers<'a>,
    schema: &'a Schema,
    plans: &'a [VariablePlan],
    vars: HashMap<VarId, ObjectId>,
    /// The datasets whose elements hold addresses: all of them, and a part.
    addressed: (&'a dyn Reader, &'a dyn Reader),
    /// The shapes of datasets without elements that are cut.
    empty: &'a EmptyShapes,
}

impl<'a> Specs<'a> {
    /// The objects of a copy whose variables are stored as planned.
    ///
    /// # Errors
    /// The plan is not of the input's datasets.
    pub(super) fn new(
        hierarchy: &'a Hierarchy,
        places: CopiedObjects<'a>,
        schema: &'a Schema,
        plans: &'a [VariablePlan],
        addressed: (&'a dyn Reader, &'a dyn Reader),
        empty: &'a EmptyShapes,
    ) -> Result<Self> {
        let items = hierarchy.items.iter().enumerate();
        let vars: HashMap<VarId, ObjectId> = items
            .filter_map(|(id, item)| Some((item.var?, ObjectId(id))))
            .collect();
        if vars.len() != plans.len() {
            return Err(Error::Internal("a plan of other datasets".to_owned()));
        }
        Ok(Self {
            headers: Headers { hierarchy, places },
            schema,
            plans,
            vars,
            addressed,
            empty,
        })
    }

    /// Number of references in headers to what is not copied.
    ///
    /// # Errors
    /// Those of making objects.
    pub(super) fn lost_in_headers(&self) -> Result<u64> {
        let lost = AtomicU64::new(0);
        let counting = Specs {
            headers: Headers {
                places: CopiedObjects {
                    lost: &lost,
                    ..self.headers.places
                },
                ..self.headers
            },
            vars: HashMap::new(),
            ..*self
        };
        for id in 0..counting.object_count() {
            counting.make(ObjectId(id))?;
        }
        Ok(lost.load(Ordering::Relaxed))
    }

    fn make(&self, id: ObjectId) -> Result<ObjectSpec> {
        let item = self.headers.item(id)?;
        let object = self.headers.object(item)?;
        let kind = match self.headers.kind(item, &object)? {
            Some(kind) => kind,
            None => {
                let mut dataset = self.dataset(&object, item.var, item.addressed)?;
                if item.addressed.is_some() && self.headers.hierarchy.is_without_data(item) {
                    dataset.layout = without_data(dataset.layout);
                }
                ObjectSpecKind::Dataset(dataset)
            }
        };
        Ok(ObjectSpec {
            kind,
            attributes: self.attributes(&object, item.var)?,
            properties: self.headers.properties(&object)?,
        })
    }

    /// The attributes of an object, and those that the plan adds: how values are quantized.
    fn attributes(&self, object: &Object, var: Option<VarId>) -> Result<Vec<AttributeSpec>> {
        let mut all = self.headers.attributes(object)?;
        for planned in var.into_iter().flat_map(|var| &self.schema.var(var).attributes) {
            if all.iter().all(|attribute| attribute.name != planned.name) {
                all.push(AttributeSpec {
                    name: planned.name.clone(),
                    datatype: DatatypeSpec::Inline(Datatype::integer(4, true, ByteOrder::Little)),
                    dataspace: Dataspace::fixed(&[1]),
                    data: Data::plain(planned.values.bytes.clone()),
                });
            }
        }
        Ok(all)
    }

    fn dataset(&self, object: &Object, var: Option<VarId>, addressed: Option<VarId>) -> Result<DatasetSpec> {
        let file = self.headers.places.file;
        let mut dataset = file.dataset(object).map_err(hdf5_error)?;
        let empty = self.empty.get(&dataset.address);
        let empty_layout = empty.map(|lengths| empty_layout(&dataset, lengths));
        let (_, part) = self.addressed;
        let rewritten = addressed.filter(|var| self.headers.hierarchy.is_rewritten(self.addressed, *var));
        let dims = match (var, rewritten) {
            (Some(var), _) => self.schema.shape(var),
            (None, Some(var)) => part.schema().shape(var),
            (None, None) => match empty {
                Some(lengths) => lengths.clone(),
                None => dataset.dataspace.dims().to_vec(),
            },
        };
        dataset.dataspace = self.dataspace(dataset.dataspace, var, dims);
        let (layout, filters) = match (var, rewritten) {
            (Some(var), _) => self.planned(&dataset, var)?,
            (None, Some(var)) => rewritten_layout(&dataset, AddressedPart { reader: part, var })?,
            (None, None) => {
                let layout = empty_layout.map_or_else(|| self.same(&dataset), Ok)?;
                (layout, dataset.filters.clone())
            }
        };
        let fill = self.headers.fill(&dataset)?;
        let datatype = self.headers.datatype(object, &dataset)?;
        let unchanged = default_allocation(&dataset.layout) != dataset.fill.allocation_time;
        let allocation_time = match &layout {
            LayoutSpec::Compact { .. } => AllocationTime::Early,
            _ if unchanged => dataset.fill.allocation_time,
            LayoutSpec::Contiguous { .. } | LayoutSpec::External(_) => AllocationTime::Late,
            LayoutSpec::Chunked { .. } | LayoutSpec::Virtual(_) | LayoutSpec::Kept(_) => {
                AllocationTime::Incremental
            }
        };
        Ok(DatasetSpec {
            datatype,
            dataspace: dataset.dataspace,
            layout,
            allocation_time,
            fill_time: dataset.fill.fill_time,
            fill,
            filters,
        })
    }

    /// A shape of `dims`, which is fixed where the plan's dimension is.
    fn dataspace(&self, stored: Dataspace, var: Option<VarId>, dims: Vec<u64>) -> Dataspace {
        let Dataspace::Simple { dims: old, max_dims } = stored else {
            return stored;
        };
        let fixed = |d: usize| {
            let dim = var.and_then(|var| self.schema.var(var).dims.get(d).copied());
            dim.is_some_and(|dim| !self.schema.dim(dim).unlimited)
        };
        let max_dims = max_dims.into_iter().zip(old).zip(&dims).enumerate();
        let max_dims = max_dims.map(|(d, ((max, old), new))| match fixed(d) || max == Some(old) {
            true => Some(*new),
            false => max,
        });
        Dataspace::Simple {
            max_dims: max_dims.collect(),
            dims,
        }
    }

    /// The planned storage of a variable, and its filters.
    fn planned(&self, dataset: &Dataset, var: VarId) -> Result<(LayoutSpec, Vec<Filter>)> {
        let plan = &self.plans[var.0];
        let layout = match &plan.layout.storage {
            _ if let Some(parts) = &plan.external => LayoutSpec::External(segments(parts)),
            Storage::Chunked { shape } => LayoutSpec::Chunked {
                shape: shape.clone(),
                chunk_count: plan.promised.chunks(),
            },
            Storage::Compact => LayoutSpec::Compact { size: size(dataset)? },
            Storage::Contiguous | Storage::Blocks { .. } => LayoutSpec::Contiguous {
                size: size(dataset)?,
                allocated: !plan.promised.is_nothing(),
            },
        };
        let filters = match plan.layout.filters == codec_specs(&dataset.filters) {
            true => dataset.filters.clone(),
            false => filters(&plan.layout)?,
        };
        Ok((layout, filters))
    }

    /// The storage that the input has.
    fn same(&self, dataset: &Dataset) -> Result<LayoutSpec> {
        let file = self.headers.places.file;
        Ok(match &dataset.layout {
            Layout::Compact(_) => LayoutSpec::Compact { size: size(dataset)? },
            Layout::Contiguous { address, .. } => {
                let size = size(dataset)?;
                LayoutSpec::Contiguous {
                    size,
                    allocated: address.is_some() && size > 0,
                }
            }
            Layout::Chunked(chunked) => LayoutSpec::Chunked {
                shape: chunked.shape.clone(),
                chunk_count: file.chunk_table(dataset).map_err(hdf5_error)?.len() as u64,
            },
            Layout::External(segments) => LayoutSpec::External(segments.clone()),
            Layout::Virtual { collection, index } => {
                let mappings = collection.map(|collection| file.global_heap_object(collection, *index));
                let mappings = mappings.transpose().map_err(hdf5_error)?;
                if mappings.is_some() && file.offset_size() != 8 {
                    return Err(Error::Unsupported(
                        "virtual storage in a file of narrow addresses".to_owned(),
                    ));
                }
                LayoutSpec::Virtual(mappings.map(|mappings| mappings.to_vec()))
            }
            _ => return Err(Error::Unsupported("its layout".to_owned())),
        })
    }
}

/// The same storage, of which nothing was written.
fn without_data(layout: LayoutSpec) -> LayoutSpec {
    match layout {
        LayoutSpec::Chunked { shape, .. } => LayoutSpec::Chunked {
            shape,
            chunk_count: 0,
        },
        LayoutSpec::Contiguous { size, .. } => LayoutSpec::Contiguous {
            size,
            allocated: false,
        },
        other => other,
    }
}

/// The storage of a dataset whose elements hold addresses and are rewritten, and its filters.
fn rewritten_layout(dataset: &Dataset, part: AddressedPart<'_>) -> Result<(LayoutSpec, Vec<Filter>)> {
    let layout = part.reader.layout(part.var);
    let spec = match &layout.storage {
        Storage::Chunked { shape } => LayoutSpec::Chunked {
            shape: shape.clone(),
            chunk_count: part.chunk_count(shape)?,
        },
        Storage::Compact => LayoutSpec::Compact { size: size(dataset)? },
        Storage::Contiguous | Storage::Blocks { .. } => {
            let size = size(dataset)?;
            let allocated = size > 0 && part.reader.written(part.var)? != Written::Nothing;
            LayoutSpec::Contiguous { size, allocated }
        }
    };
    let filters = match layout.filters == codec_specs(&dataset.filters) {
        true => dataset.filters.clone(),
        false => filters(layout)?,
    };
    Ok((spec, filters))
}

/// Bytes of all elements.
fn size(dataset: &Dataset) -> Result<u64> {
    let size = dataset
        .dataspace
        .count()
        .and_then(|count| count.checked_mul(dataset.datatype.size.into()));
    size.ok_or_else(|| Error::Unsupported("more data than 2^64 bytes".to_owned()))
}

/// The time at which libhdf5 allocates space unless it is told otherwise.
fn default_allocation(layout: &Layout) -> AllocationTime {
    match layout {
        Layout::Compact(_) => AllocationTime::Early,
        Layout::Chunked(_) | Layout::Virtual { .. } => AllocationTime::Incremental,
        _ => AllocationTime::Late,
    }
}

impl DatasetTree for Specs<'_> {
    fn dataset(&self, var: VarId) -> ObjectId {
        self.vars.get(&var).copied().unwrap_or(ObjectId(0))
    }
}

impl ObjectSource for Specs<'_> {
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
