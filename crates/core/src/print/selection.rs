//! Selects variables and groups by the names that a user gives.

use super::options::{DataOf, DumpOptions};
use crate::error::{Error, Result};
use crate::model::similar::no_such;
use crate::model::{NamePattern, Schema, VarId, Variable, VisibleNames};

/// For each variable, true if its data is printed.
///
/// # Errors
/// Names a listed variable or group that does not exist.
pub fn wanted(schema: &Schema, options: &DumpOptions) -> Result<Vec<bool>> {
    let groups = wanted_groups(schema, &options.groups)?;
    let required = listed(schema, &options.required)?;
    let mut wanted = wanted_vars(schema, &options.data)?;
    if options.data == DataOf::Coordinates && !options.required.is_empty() {
        for (wanted, required) in wanted.iter_mut().zip(required) {
            *wanted &= required;
        }
    }
    for (wanted, var) in wanted.iter_mut().zip(&schema.vars) {
        *wanted &= groups[var.group.0];
    }
    Ok(wanted)
}

/// For each group, true if data of its own variables may be printed.
pub fn wanted_groups(schema: &Schema, names: &[NamePattern]) -> Result<Vec<bool>> {
    let mut wanted = vec![names.is_empty(); schema.groups.len()];
    for name in names {
        let found = match (name.is_glob(), name.as_str().trim_end_matches('/')) {
            (true, _) => schema.groups_matching(name),
            (false, "") => schema.groups_named("/"),
            (false, path) => schema.groups_named(path),
        };
        if found.is_empty() && !name.is_all() {
            let all = schema.groups.iter().map(|group| group.name.as_str());
            return Err(Error::Usage(no_such("group", name.as_str(), all)));
        }
        for group in found {
            wanted[group.0] = true;
        }
    }
    Ok(wanted)
}

fn wanted_vars(schema: &Schema, data: &DataOf) -> Result<Vec<bool>> {
    match data {
        DataOf::All => Ok(vec![true; schema.vars.len()]),
        DataOf::None => Ok(vec![false; schema.vars.len()]),
        DataOf::Coordinates => {
            let names = VisibleNames::new(schema);
            let is_coordinate = |v: &Variable| v.dims.len() == 1 && names.dim(v.group, &v.name).is_some();
            Ok(schema.vars.iter().map(is_coordinate).collect())
        }
        DataOf::Listed(names) => listed(schema, names),
    }
}

/// For each variable, true if it is listed.
fn listed(schema: &Schema, names: &[NamePattern]) -> Result<Vec<bool>> {
    let mut wanted = vec![false; schema.vars.len()];
    for name in names {
        for var in vars_named(schema, name)? {
            wanted[var.0] = true;
        }
    }
    Ok(wanted)
}

fn vars_named(schema: &Schema, name: &NamePattern) -> Result<Vec<VarId>> {
    let found = schema.vars_matching(name);
    if found.is_empty() && !name.is_all() {
        let all = schema.vars.iter().map(|var| var.name.as_str());
        return Err(Error::Usage(no_such("variable", name.as_str(), all)));
    }
    Ok(found)
}
