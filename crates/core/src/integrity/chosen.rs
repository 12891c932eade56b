//! The variables that a user names, in each of the datasets that are looked at.

use crate::error::{Error, Result};
use crate::model::similar::no_such;
use crate::model::{NamePattern, Schema, VarId};

/// For each schema, the variables that `names` mean there; all of them if no name is given. A relative path means every
/// variable whose path ends in it.
///
/// # Errors
/// A name that means nothing in any of the schemas.
pub fn chosen<const N: usize>(schemas: [&Schema; N], names: &[NamePattern]) -> Result<[Vec<VarId>; N]> {
    if names.is_empty() {
        return Ok(schemas.map(|schema| (0..schema.vars.len()).map(VarId).collect()));
    }
    let unknown = |name: &&NamePattern| {
        !name.is_all() && schemas.iter().all(|schema| schema.vars_matching(name).is_empty())
    };
    if let Some(name) = names.iter().find(unknown) {
        let all = schemas.iter().flat_map(|schema| &schema.vars);
        let all = all.map(|var| var.name.as_str());
        return Err(Error::Usage(no_such("variable", name.as_str(), all)));
    }
    Ok(schemas.map(|schema| {
        let mut vars: Vec<VarId> = names.iter().flat_map(|name| schema.vars_matching(name)).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }))
}
