//! Where the data of each variable is stored.

use super::stored_twice::hdf5_filters;
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::model::{CodecSpec, Encoding, Schema, Type, VarId};

/// Where the data of a variable is stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Once, in shards. These are the filters of its chunks, as HDF5 names them.
    Shards(Vec<CodecSpec>),
    /// Twice: a scalar, as bytes.
    Scalar,
    /// Twice: values that each format has its own form of.
    Values,
}

/// Where the data of each variable is stored.
///
/// # Errors
/// Names a variable that cannot be stored so.
pub fn parts(schema: &Schema, plans: &[VariablePlan]) -> Result<Vec<Part>> {
    let part = |(n, plan): (usize, &VariablePlan)| {
        part(schema, VarId(n), plan).map_err(|e| e.in_variable(&schema.var_path(VarId(n))))
    };
    plans.iter().enumerate().map(part).collect()
}

fn part(schema: &Schema, var: VarId, plan: &VariablePlan) -> Result<Part> {
    let layout = &plan.layout;
    if let Type::User(_) = schema.var(var).ty {
        return Err(Error::Usage(
            "a user-defined type, which HDF5 and Zarr store as other bytes".to_owned(),
        ));
    }
    match (&layout.shard, layout.encoding) {
        (_, Encoding::Structured) if layout.shard.is_none() => Ok(Part::Values),
        (Some(_), encoding) if encoding != Encoding::Structured => {
            hdf5_filters(schema, var, layout).map(Part::Shards)
        }
        (None, _) if layout.extent.is_empty() && layout.filters.is_empty() => Ok(Part::Scalar),
        _ => Err(Error::Internal("a variable without shards of HDF5".to_owned())),
    }
}
