//! The first input of a join: its dimension, and the variables that have it.

use super::inputs::Inputs;
use super::outer_dimension::{NewDimension, OuterDimension};
use super::request::JoinRequest;
use crate::error::{Request, Result};
use crate::format::Reader;
use crate::model::similar::question;
use crate::model::{DimId, NamePattern, Schema, VarId};

/// The first of the inputs that are joined, or the only one.
pub struct First {
    pub reader: Box<dyn Reader>,
    /// The dimension; `None` for an input that is joined with none.
    pub dim: Option<DimId>,
    /// The same if it is new.
    pub new: Option<NewDimension>,
}

/// Opens the first input, and finds the dimension, which is added if it is new.
///
/// # Errors
/// A dimension that cannot be meant.
pub fn first_input(inputs: &Inputs, request: &JoinRequest) -> Result<First> {
    let first = |reader, dim, new| First { reader, dim, new };
    let reader = inputs.open(0)?;
    if request.dim.is_empty() {
        return Ok(first(reader, None, None));
    }
    let schema = reader.schema();
    match schema.dims_named(&request.dim)[..] {
        [dim] => Ok(first(reader, Some(dim), None)),
        [] => {
            let names = schema.dims.iter().map(|dim| dim.name.as_str());
            let meant = question(&request.dim, names);
            if !meant.is_empty() {
                let why = format!("{} has no such dimension{meant}", inputs.name(0));
                return Err(Request::Join.misspelled(format!("'{}'", request.dim), why));
            }
            let new = NewDimension::new(schema, &request.dim)?;
            let reader = OuterDimension::new(reader, &new)?;
            let dim = DimId(reader.schema().dims.len() - 1);
            Ok(first(Box::new(reader), Some(dim), Some(new)))
        }
        _ => Err(Request::Join.misspelled(
            format!("'{}'", request.dim),
            "several dimensions have this name; give the path from the root group",
        )),
    }
}

/// For each variable, the position of a dimension in its shape.
pub fn axes(schema: &Schema, dim: DimId) -> Result<Vec<Option<usize>>> {
    let axis = |(n, var): (usize, &crate::model::Variable)| {
        let mut axes = (0..var.dims.len()).filter(|axis| var.dims[*axis] == dim);
        let axis = axes.next();
        match axes.next() {
            None => Ok(axis),
            Some(_) => Err(Request::Join.error(format!(
                "the variable {} has the dimension {} twice",
                schema.var_path(VarId(n)),
                schema.dim(dim).name
            ))),
        }
    };
    schema.vars.iter().enumerate().map(axis).collect()
}

/// Checks that each pattern names a variable.
///
/// # Errors
/// One that names none.
pub fn check_unpacked(schema: &Schema, patterns: &[NamePattern]) -> Result<()> {
    for pattern in patterns {
        if schema.vars_matching(pattern).is_empty() {
            let names = schema.vars.iter().map(|var| var.name.as_str());
            let meant = question(pattern.as_str(), names);
            return Err(Request::Unpacking.misspelled(
                format!("'{}'", pattern.as_str()),
                format!("the first input has no variable of this name{meant}"),
            ));
        }
    }
    Ok(())
}

/// The variables to unpack, each once.
///
/// # Errors
/// A variable without the joined dimension.
pub fn unpacked(schema: &Schema, patterns: &[NamePattern], axes: &[Option<usize>]) -> Result<Vec<VarId>> {
    let mut named = Vec::new();
    for pattern in patterns {
        for var in schema.vars_matching(pattern) {
            if axes[var.0].is_none() {
                return Err(Request::Unpacking.misspelled(
                    format!("'{}'", pattern.as_str()),
                    "this variable does not have the joined dimension".to_owned(),
                ));
            }
            if !named.contains(&var) {
                named.push(var);
            }
        }
    }
    Ok(named)
}
