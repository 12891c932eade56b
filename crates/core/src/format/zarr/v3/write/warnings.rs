//! Warns of what other programs cannot read of an output.

use super::super::super::options::ZarrOptions;
use super::super::data_type::DataType;
use super::metadata::metadata;
use crate::error::Result;
use crate::filter::{Program, Registry};
use crate::format::VariablePlan;
use crate::model::{CodecSpec, Schema, VarId};

/// One line for each item of a dataset that a program cannot read as it was.
///
/// # Errors
/// Those of [`super::check_plans`].
pub fn warnings(schema: &Schema, plans: &[VariablePlan], _: ZarrOptions) -> Result<Vec<String>> {
    super::check_plans(schema, plans)?;
    let registry = Registry::builtin();
    let mut all = metadata(schema, plans)?.warnings;
    let (mut lacking, mut repeating, mut structures) = (Vec::new(), Vec::new(), Vec::new());
    for (n, plan) in plans.iter().enumerate() {
        let path = schema.var_path(VarId(n));
        let is_lacking = |codec: &&CodecSpec| !registry.known_to(codec, Program::Tensorstore);
        let filters = plan.layout.filters.iter().filter(is_lacking);
        let codecs: Vec<&str> = filters.map(|codec| codec.name()).collect();
        if !codecs.is_empty() {
            lacking.push(format!("{path} ({})", codecs.join(", ")));
        }
        if let Ok(DataType::Struct(_)) = DataType::of(schema, schema.vars[n].ty) {
            structures.push(path.clone());
        }
        let dims = &schema.vars[n].dims;
        let name = |at: usize| &schema.dim(dims[at]).name;
        if (1..dims.len()).any(|at| (0..at).any(|before| name(before) == name(at))) {
            repeating.push(path);
        }
    }
    if !lacking.is_empty() {
        all.push(format!("tensorstore lacks codecs of: {}", lacking.join(", ")));
    }
    if !repeating.is_empty() {
        all.push(format!(
            "tensorstore refuses arrays with two dimensions of one name: {}",
            repeating.join(", ")
        ));
    }
    if !structures.is_empty() {
        all.push(format!(
            "zarr-python 3.1 opens no dataset whose consolidated metadata has compounds: {}",
            structures.join(", ")
        ));
    }
    Ok(all)
}
