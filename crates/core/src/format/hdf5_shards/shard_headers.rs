//! The HDF5 metadata in front of each shard.

use std::io;
use std::sync::Arc;

use ncutils_hdf5::{ByteSink, FileTree, FileWriter, LinkSpec, ObjectId, ObjectSource, ObjectSpecKind};

use super::shard_schema::shard_dataset;
use super::variable_form::VariableForm;
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::format::netcdf4::{DatasetTree, ObjectTree, hdf5_error};
use crate::format::zarr::{ShardBytes, ShardFile, ShardFiles};
use crate::model::{Schema, VarId};

/// The objects in the shards of each variable.
pub struct ShardHeaders {
    /// `None` for a variable without shards.
    variables: Vec<Option<ShardObjects>>,
}

/// The objects in a shard. All shards of a variable have the same.
struct ShardObjects {
    tree: FileTree,
    dataset: ObjectId,
}

impl ShardHeaders {
    /// The objects in the shards of all variables.
    ///
    /// # Errors
    /// Names a variable that HDF5 cannot hold.
    pub fn new(schema: &Schema, plans: &[VariablePlan], forms: &[VariableForm]) -> Result<Self> {
        let of = |(n, (plan, form)): (usize, (&VariablePlan, &VariableForm))| match form {
            VariableForm::InShards(filters) => {
                let (own, plan) = shard_dataset(schema, VarId(n), &plan.layout, filters)?;
                ShardObjects::new(&own, plan).map(Some)
            }
            VariableForm::Scalar | VariableForm::Plain => Ok(None),
        };
        let variables = plans.iter().zip(forms).enumerate();
        let variables = variables
            .map(|pair| of(pair).map_err(|e| e.in_variable(&schema.var_path(VarId(pair.0)))))
            .collect::<Result<_>>()?;
        Ok(Self { variables })
    }

    /// The path of the dataset in the shards of a variable; `None` for a variable without shards.
    pub fn path(&self, var: VarId) -> Option<String> {
        let objects = self.variables.get(var.0)?.as_ref()?;
        let ObjectSpecKind::Group { links } = &objects.tree.objects.first()?.kind else {
            return None;
        };
        let (name, _) = links
            .iter()
            .find(|(_, link)| *link == LinkSpec::Hard(objects.dataset))?;
        Some(format!("/{name}"))
    }
}

impl ShardObjects {
    /// The objects of a schema with one variable.
    ///
    /// # Errors
    /// What HDF5 cannot hold.
    fn new(own: &Schema, plan: VariablePlan) -> Result<Self> {
        let plans = [plan];
        let tree = ObjectTree::new(own, &plans)?;
        let objects = (0..tree.object_count()).map(|n| Ok(tree.object(ObjectId(n))?.into_owned()));
        Ok(Self {
            dataset: tree.dataset(VarId(0)),
            tree: FileTree {
                objects: objects.collect::<Result<_>>()?,
            },
        })
    }
}

impl ShardFiles for ShardHeaders {
    fn begin(&self, var: VarId, bytes: Arc<dyn ShardBytes>) -> Result<Box<dyn ShardFile>> {
        let objects = self.variables.get(var.0).and_then(Option::as_ref);
        let objects = objects.ok_or_else(|| Error::Internal("a shard without HDF5 objects".to_owned()))?;
        let file = FileWriter::create(Arc::new(ShardSink(bytes)), &objects.tree);
        Ok(Box::new(Hdf5Shard {
            file: file.map_err(hdf5_error)?,
            dataset: objects.dataset,
        }))
    }
}

/// A shard as an HDF5 file.
struct Hdf5Shard {
    file: FileWriter,
    dataset: ObjectId,
}

impl ShardFile for Hdf5Shard {
    fn data_start(&self) -> u64 {
        self.file.data_start()
    }

    fn place_chunk(&self, chunk: u64, size: u64) -> Result<u64> {
        self.file
            .reserve_chunk(self.dataset, chunk, size, 0)
            .map_err(hdf5_error)
    }

    fn place_index(&self, size: u64) -> Result<u64> {
        self.file.reserve(size).map_err(hdf5_error)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.file.finish().map_err(hdf5_error)
    }
}

/// The bytes of a shard as a sink of HDF5's metadata.
struct ShardSink(Arc<dyn ShardBytes>);

impl ByteSink for ShardSink {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        match data.is_empty() {
            true => Ok(()),
            false => self.0.write_at(offset, data),
        }
    }

    /// The size of a shard is set in its turn, before this.
    fn set_size(&self, _: u64) -> io::Result<()> {
        Ok(())
    }
}
