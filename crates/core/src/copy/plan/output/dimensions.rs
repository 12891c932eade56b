//! Which dimensions of the output are unlimited: `-u`, `--fixed`, `--unlimited`.

use crate::copy::plan::request::CopyOptions;
use crate::error::{Error, Request, Result};
use crate::model::similar::question;
use crate::model::{DimId, Dimension, Schema};

/// The input's schema with the dimensions that `options` name made fixed or unlimited; `None` if they name none.
///
/// # Errors
/// A name that the input does not have, or that both lists have; an empty dimension that would become fixed.
pub fn changed(input: &Schema, options: &CopyOptions) -> Result<Option<Schema>> {
    if options.fixed_dims.is_empty() && options.unlimited_dims.is_empty() {
        return Ok(None);
    }
    let mut schema = input.clone();
    let fixed = named(input, &options.fixed_dims)?;
    for dim in named(input, &options.unlimited_dims)? {
        if fixed.contains(&dim) {
            let name = &input.dim(dim).name;
            return Err(Error::Usage(format!(
                "dimension {name} cannot be both fixed and unlimited; name it once"
            )));
        }
        schema.dims[dim.0].unlimited = true;
    }
    for dim in fixed {
        refuse_fixing_empty(input, input.dim(dim))?;
        schema.dims[dim.0].unlimited = false;
    }
    Ok(Some(schema))
}

/// Refuses to make an unlimited dimension fixed that is empty.
///
/// # Errors
/// The dimension.
pub fn refuse_fixing_empty(input: &Schema, dim: &Dimension) -> Result<()> {
    if !dim.unlimited || dim.length > 0 {
        return Ok(());
    }
    let name = match input.group_path(dim.group).as_str() {
        "/" => dim.name.clone(),
        path => format!("{path}/{}", dim.name),
    };
    Err(Request::FixedDimensions.error(format!(
        "the unlimited dimension {name} has length 0, and a fixed dimension cannot have that"
    )))
}

/// The dimensions that are named.
fn named(input: &Schema, names: &[String]) -> Result<Vec<DimId>> {
    let mut all = Vec::new();
    for name in names {
        let found = input.dims_named(name);
        if found.is_empty() {
            let meant = question(name, input.dims.iter().map(|dim| dim.name.as_str()));
            return Err(Error::Usage(format!(
                "the input has no dimension named '{name}'{meant}"
            )));
        }
        all.extend(found);
    }
    Ok(all)
}
