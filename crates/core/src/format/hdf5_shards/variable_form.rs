//! [`VariableForm`]: where the data of each variable is stored.

use super::shared_codecs::hdf5_filters;
use crate::error::{Error, Result};
use crate::format::VariablePlan;
use crate::model::{CodecSpec, Encoding, Schema, Type, VarId};

/// Where the data of a variable is stored.
#[derive(Debug, Clone, PartialEq)]
pub enum VariableForm {
    /// Once, in shards. These are the filters of its chunks, as HDF5 names them.
    InShards(Vec<CodecSpec>),
    /// A scalar, as bytes: on both sides.
    Scalar,
    /// Values that each format has its own form of: on both sides.
    Plain,
}

/// Where the data of each variable is stored.
///
/// # Errors
/// Names a variable that cannot be stored so.
pub fn forms(schema: &Schema, plans: &[VariablePlan]) -> Result<Vec<VariableForm>> {
    let form = |(n, plan): (usize, &VariablePlan)| {
        form(schema, VarId(n), plan).map_err(|e| e.in_variable(&schema.var_path(VarId(n))))
    };
    plans.iter().enumerate().map(form).collect()
}

fn form(schema: &Schema, var: VarId, plan: &VariablePlan) -> Result<VariableForm> {
    let layout = &plan.layout;
    if let Type::User(_) = schema.var(var).ty {
        return Err(Error::Usage(
            "a user-defined type, which HDF5 and Zarr store as other bytes".to_owned(),
        ));
    }
    match (&layout.shard, layout.encoding) {
        (_, Encoding::Structured) if layout.shard.is_none() => Ok(VariableForm::Plain),
        (Some(_), encoding) if encoding != Encoding::Structured => {
            hdf5_filters(schema, var, layout).map(VariableForm::InShards)
        }
        (None, _) if layout.extent.is_empty() && layout.filters.is_empty() => Ok(VariableForm::Scalar),
        _ => Err(Error::Internal("a variable without shards of HDF5".to_owned())),
    }
}
