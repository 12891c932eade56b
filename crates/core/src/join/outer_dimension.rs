//! [`OuterDimension`]: a dataset whose variables have one more dimension, the slowest, of length 1.
//!
//! The bytes of chunks and ranges stay as they are, and the numbers of chunks too.

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::{Error, Request, Result};
use crate::format::{Extensions, Needs, OverSources, Reader, Region, VirtualSources, Written};
use crate::model::{
    CodecSpec, DimId, Dimension, GroupId, Referring, Schema, SharedLayout, Storage, Type, Values, VarId,
    VariableLayout, name_fault,
};
use crate::subset::by_regions;

/// Attributes of the CF conventions that name data, which differs from input to input.
const NAME_DATA: [&str; 2] = ["ancillary_variables", "formula_terms"];

/// A dimension that all inputs lack, and the variables that get it.
#[derive(Debug, Clone)]
pub struct NewDimension {
    name: Arc<str>,
    /// Paths of the variables.
    gain: Arc<HashSet<String>>,
}

impl NewDimension {
    /// The dimension `name`, for the data of `schema` and for a scalar of that name. Coordinates, and what attributes of the
    /// CF conventions name, stay as they are: they describe the data of all inputs.
    ///
    /// # Errors
    /// A name that no dimension can have.
    pub fn new(schema: &Schema, name: &str) -> Result<Self> {
        if let Some(fault) = name_fault(name) {
            return Err(Request::Join.misspelled(format!("'{}'", name.escape_debug()), fault));
        }
        let mut described = HashSet::new();
        for attribute in schema.vars.iter().flat_map(|variable| variable.attributes.iter()) {
            let referring = Referring::named(&attribute.name);
            let referring =
                referring.filter(|found| found.names_variables && !NAME_DATA.contains(&found.attribute));
            let Some(referring) = referring else { continue };
            let words = attribute.texts().flat_map(str::split_ascii_whitespace);
            described.extend(
                words
                    .filter_map(|word| referring.name_in(word))
                    .map(str::to_owned),
            );
        }
        let gains = |n: &usize| {
            let variable = &schema.vars[*n];
            let is_coordinate = |dim: &DimId| schema.dim(*dim).name == variable.name;
            let is_label = variable.name == name && variable.dims.is_empty();
            let is_data = !variable.dims.iter().any(is_coordinate) && !described.contains(&variable.name);
            is_label || is_data && !matches!(variable.ty, Type::User(_) if schema.has_heap(variable.ty))
        };
        let gain = (0..schema.vars.len()).filter(gains);
        Ok(Self {
            name: name.into(),
            gain: Arc::new(gain.map(|n| schema.var_path(VarId(n))).collect()),
        })
    }
}

/// A dataset whose variables have one more dimension, of length 1.
pub struct OuterDimension {
    input: Box<dyn Reader>,
    schema: Schema,
    /// Layouts of the variables that have it.
    layouts: Vec<Option<SharedLayout>>,
}

impl OuterDimension {
    /// `input` with the dimension `new` in its root group.
    ///
    /// # Errors
    /// The dataset has a dimension of that name.
    pub fn new(input: Box<dyn Reader>, new: &NewDimension) -> Result<Self> {
        let mut schema = input.schema().clone();
        if !schema.dims_named(&new.name).is_empty() {
            return Err(Error::Usage(format!(
                "has the dimension {}, which the first input lacks",
                new.name
            )));
        }
        let dim = schema.add_dim(Dimension {
            name: new.name.to_string(),
            group: GroupId(0),
            length: 1,
            unlimited: false,
        });
        let mut layouts = Vec::with_capacity(schema.vars.len());
        for n in 0..schema.vars.len() {
            let gains = new.gain.contains(&schema.var_path(VarId(n)));
            let layout = input.layout(VarId(n));
            let layout = gains.then(|| match layout.filters.iter().any(knows_rank) {
                true => by_regions(&schema, VarId(n), &outer(layout)),
                false => outer(layout),
            });
            layouts.push(layout.map(Into::into));
            if gains {
                schema.vars[n].dims.insert(0, dim);
            }
        }
        Ok(Self {
            input,
            schema,
            layouts,
        })
    }

    fn gains(&self, var: VarId) -> bool {
        self.layouts[var.0].is_some()
    }

    /// A region of the input, for one of a variable of this dataset.
    fn inner(&self, var: VarId, region: &Region) -> Region {
        match self.gains(var) {
            false => region.clone(),
            true => Region {
                start: region.start.get(1..).unwrap_or_default().to_vec(),
                count: region.count.get(1..).unwrap_or_default().to_vec(),
            },
        }
    }
}

/// True for filters whose parameters have the dimensions of a chunk. Their chunks are no chunks of one dimension more, so the variable
/// is read by regions.
fn knows_rank(filter: &CodecSpec) -> bool {
    /// HDF5 ids of zfp, SZ, SZ3 and Blosc2.
    const OF_ARRAYS: [u32; 4] = [32013, 32017, 32024, 32026];
    match (filter.hdf5_id(), filter.zarr_name()) {
        (Some(id), _) => OF_ARRAYS.contains(&id),
        (_, Some((_, name))) => ["transpose", "zfpy", "zfp", "pcodec", "reshape"].contains(&name),
        _ => false,
    }
}

/// The layout of a variable with a further slowest dimension of length 1. A scalar becomes one cell.
fn outer(layout: &VariableLayout) -> VariableLayout {
    let mut layout = layout.clone();
    layout.extent.insert(0, 1);
    if let Storage::Chunked { shape } = &mut layout.storage {
        shape.insert(0, 1);
    }
    if let Some(shard) = &mut layout.shard {
        shard.insert(0, 1);
    }
    layout
}

fn outer_region(region: Region) -> Region {
    let before = |one: u64, of: Vec<u64>| [vec![one], of].concat();
    Region {
        start: before(0, region.start),
        count: before(1, region.count),
    }
}

impl Reader for OuterDimension {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        match &self.layouts[var.0] {
            Some(layout) => layout,
            None => self.input.layout(var),
        }
    }

    fn written(&self, var: VarId) -> Result<Written> {
        Ok(match self.input.written(var)? {
            Written::Regions(regions) if self.gains(var) => {
                Written::Regions(regions.into_iter().map(outer_region).collect())
            }
            written => written,
        })
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.input.read_range(var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        if self.gains(var) && region.count.first() == Some(&0) {
            return Ok(Values::default());
        }
        self.input.read_region(var, &self.inner(var, region))
    }

    fn extensions(&self) -> Extensions<'_> {
        let own = self.input.extensions();
        Extensions {
            chunks: own.chunks,
            places: own.places,
            // The dimension lies outside of that of records.
            records: None,
            fetch: own.fetch,
            sources: own.sources.map(|_| self as &dyn VirtualSources),
            files: own.files,
            elements: own.elements,
            check: None,
            changes: own.changes,
            cache: own.cache,
            space: None,
            stepped: None,
        }
    }
}

impl OverSources for OuterDimension {
    fn below(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        Some((&*self.input, var))
    }

    fn all_below(&self) -> Vec<&dyn Reader> {
        vec![&*self.input]
    }

    fn resolve_below(&self, var: VarId, needs: Option<&Needs<'_>>) -> Result<()> {
        match needs {
            None => self.input.resolve_sources(var),
            Some(needs) => {
                let outer = |region: &Region| match self.gains(var) {
                    true => needs(&outer_region(region.clone())),
                    false => needs(region),
                };
                self.input.resolve_needed_sources(var, &outer)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::in_memory::InMemoryReader;
    use crate::model::{Attribute, Kind, Variable};

    fn text(name: &str, text: &str) -> Attribute {
        Attribute {
            name: name.into(),
            ty: Type::Char,
            length: text.len(),
            values: Values::from_bytes(text.as_bytes().to_vec()),
        }
    }

    /// `x(x)`, `v(x)` with the auxiliary coordinate `height`, and the scalars `height` and `run`.
    fn dataset() -> InMemoryReader {
        let mut schema = Schema::new(Kind::Netcdf4);
        let x = schema.add_dim(Dimension {
            name: "x".into(),
            group: GroupId(0),
            length: 3,
            unlimited: false,
        });
        let mut add = |name: &str, dims: Vec<DimId>, attributes: Vec<Attribute>| {
            schema.add_var(Variable {
                name: name.into(),
                group: GroupId(0),
                ty: Type::UByte,
                dims,
                attributes: attributes.into(),
            });
        };
        add("x", vec![x], Vec::new());
        add("v", vec![x], vec![text("coordinates", "height")]);
        add("height", Vec::new(), Vec::new());
        add("run", Vec::new(), Vec::new());
        let values = [&[1, 2, 3][..], &[4, 5, 6], &[7], &[8]];
        InMemoryReader::new(
            schema,
            values.map(|bytes| Values::from_bytes(bytes.to_vec())).into(),
        )
    }

    #[test]
    fn data_gain_the_dimension_and_what_describes_them_does_not() {
        let new = NewDimension::new(dataset().schema(), "run").unwrap();
        let outer = OuterDimension::new(Box::new(dataset()), &new).unwrap();
        let shapes: Vec<_> = (0..4).map(|n| outer.schema().shape(VarId(n))).collect();
        assert_eq!(shapes, [vec![3], vec![1, 3], vec![], vec![1]]);
        let read = |var, start: &[u64], count: &[u64]| {
            let region = Region {
                start: start.to_vec(),
                count: count.to_vec(),
            };
            outer.read_region(VarId(var), &region).unwrap().bytes
        };
        assert_eq!(read(1, &[0, 1], &[1, 2]), [5, 6]);
        assert_eq!(read(3, &[0], &[1]), [8]);
        assert!(read(1, &[0, 0], &[0, 3]).is_empty());
        assert_eq!(outer.layout(VarId(1)).extent, [1, 3]);
    }

    #[test]
    fn a_dimension_that_is_there_already_is_refused() {
        let new = NewDimension::new(dataset().schema(), "y").unwrap();
        let mut schema = dataset().schema().clone();
        schema.dims[0].name = "y".into();
        let other = InMemoryReader::new(schema, vec![Values::default(); 4]);
        let error = OuterDimension::new(Box::new(other), &new).err().unwrap();
        assert!(error.to_string().contains("has the dimension y"), "{error}");
        assert!(NewDimension::new(dataset().schema(), "a/b").is_err());
    }
}
