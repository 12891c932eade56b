//! The netCDF-4 file of a hierarchy: its schema, how its variables are stored, and its objects.

use std::borrow::Cow;
use std::collections::HashMap;

use ncutils_hdf5::{LayoutSpec, MappedBox, ObjectId, ObjectSource, ObjectSpec, ObjectSpecKind};

use super::shard_headers::ShardHeaders;
use super::shard_schema::filled;
use super::variable_form::VariableForm;
use crate::chunk::ChunkGrid;
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::format::netcdf4::{DatasetTree, ObjectTree, SourceError, hdf5_error};
use crate::format::{Promised, VariablePlan};
use crate::model::{Kind, Schema, Storage, VarId, VariableLayout};

/// The netCDF-4 file of a hierarchy.
pub struct DatasetFile {
    /// Its schema.
    pub schema: Schema,
    /// How its variables are stored. Those in shards are planned without data.
    pub plans: Vec<VariablePlan>,
    /// The mappings of each variable in shards.
    mappings: Vec<Option<Mappings>>,
}

/// The mappings of a virtual dataset, encoded; `None` without any.
type Mappings = Option<Vec<u8>>;

impl DatasetFile {
    /// The file of a hierarchy of this schema.
    ///
    /// # Errors
    /// Names a variable that HDF5 cannot hold.
    pub fn new(
        schema: &Schema,
        plans: &[VariablePlan],
        forms: &[VariableForm],
        headers: &ShardHeaders,
    ) -> Result<Self> {
        let mut own = schema.clone();
        own.kind = Kind::Netcdf4;
        let of = |(n, plan): (usize, &VariablePlan)| {
            let var = VarId(n);
            let path = headers.path(var);
            let mappings = path.map(|path| encoded(schema, var, &plan.layout, &path));
            mappings
                .transpose()
                .map_err(|e| e.in_variable(&schema.var_path(var)))
        };
        let mappings = plans.iter().enumerate().map(of).collect::<Result<_>>()?;
        Ok(Self {
            schema: own,
            plans: plans
                .iter()
                .zip(forms)
                .map(|(plan, form)| planned(plan, form))
                .collect(),
            mappings,
        })
    }

    /// The objects of the file.
    ///
    /// # Errors
    /// Names what HDF5 cannot hold.
    pub fn tree(&self) -> Result<VirtualTree<'_>> {
        let tree = ObjectTree::new(&self.schema, &self.plans)?;
        let of =
            |(n, mappings): (usize, &'_ Option<Mappings>)| Some((tree.dataset(VarId(n)), mappings.clone()?));
        let mappings = self.mappings.iter().enumerate().filter_map(of).collect();
        Ok(VirtualTree { tree, mappings })
    }
}

/// How a variable is stored in the file.
fn planned(plan: &VariablePlan, form: &VariableForm) -> VariablePlan {
    let (storage, promised) = match form {
        VariableForm::InShards(_) => (plan.layout.storage.clone(), Promised::Nothing),
        VariableForm::Plain if plan.layout.extent.is_empty() => (Storage::Contiguous, bytes(plan)),
        VariableForm::Plain => (plan.layout.storage.clone(), plan.promised),
        VariableForm::Scalar => (Storage::Contiguous, bytes(plan)),
    };
    let layout = VariableLayout {
        storage,
        filters: Vec::new(),
        array_codecs: None,
        shard: None,
        fill: match form {
            VariableForm::InShards(_) => filled(&plan.layout.fill),
            _ => plan.layout.fill.clone(),
        },
        ..(*plan.layout).clone()
    };
    VariablePlan::with_pipeline(layout, Pipeline::empty(), promised)
}

/// The bytes of a scalar.
fn bytes(plan: &VariablePlan) -> Promised {
    match plan.promised.is_nothing() {
        true => Promised::Nothing,
        false => Promised::Bytes(plan.layout.element_size as u64),
    }
}

/// The mappings of a variable: a box for each shard, at the edges as much of it as the variable has.
fn encoded(schema: &Schema, var: VarId, layout: &VariableLayout, dataset: &str) -> Result<Mappings> {
    let unknown = || Error::Internal("a shard without its dataset".to_owned());
    let shards = ChunkGrid::new(&layout.extent, layout.shard.as_deref().ok_or_else(unknown)?)?;
    if shards.is_empty() {
        return Ok(None);
    }
    let path = schema.var_path(var);
    let path = path.trim_start_matches('/');
    let mapped = |n: u64| {
        let region = shards.region(n);
        MappedBox {
            file: format!("{path}/{}", layout.chunk_keys.key(&shards.coordinates(n))),
            dataset: dataset.to_owned(),
            source: vec![0; region.start.len()],
            target: region.start,
            shape: region.count,
        }
    };
    let boxes: Vec<_> = (0..shards.len()).map(mapped).collect();
    MappedBox::encode_all(&boxes).map(Some).map_err(hdf5_error)
}

/// The objects of the file, of which variables in shards are virtual datasets.
pub struct VirtualTree<'s> {
    tree: ObjectTree<'s>,
    mappings: HashMap<ObjectId, Mappings>,
}

impl ObjectSource for VirtualTree<'_> {
    type Error = SourceError;

    fn object_count(&self) -> usize {
        self.tree.object_count()
    }

    fn object(&self, id: ObjectId) -> Result<Cow<'_, ObjectSpec>, SourceError> {
        let mut object = self.tree.object(id)?;
        if let Some(mappings) = self.mappings.get(&id)
            && let ObjectSpecKind::Dataset(dataset) = &mut object.to_mut().kind
        {
            dataset.layout = LayoutSpec::Virtual(mappings.clone());
        }
        Ok(object)
    }
}

impl DatasetTree for VirtualTree<'_> {
    fn dataset(&self, var: VarId) -> ObjectId {
        self.tree.dataset(var)
    }
}
