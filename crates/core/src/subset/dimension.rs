//! Finding the dimension that a user names.

use crate::error::{Request, Result};
use crate::message::some_of;
use crate::model::similar::question;
use crate::model::{DimId, Schema};

/// The dimension that `name` means: a path, or a name that only one dimension has. `argument` is the whole argument, in
/// quotes.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) if there is no such dimension, or there are several.
pub fn named(schema: &Schema, name: &str, request: Request, argument: &str) -> Result<DimId> {
    let found = schema.dims_named(name);
    match found[..] {
        [dim] => Ok(dim),
        [] => {
            let names = schema.dims.iter().map(|dim| dim.name.as_str());
            let mut meant = question(name, names.clone());
            if meant.is_empty() && !schema.dims.is_empty() {
                meant = format!("; it has {}", some_of(names, schema.dims.len()));
            }
            Err(request.misspelled(
                argument,
                format!("the input has no dimension named '{name}'{meant}"),
            ))
        }
        [first, second, ..] => Err(request.misspelled(
            argument,
            format!(
                "the input has several dimensions named '{name}'; give a path, such as {} or {}",
                path(schema, first),
                path(schema, second)
            ),
        )),
    }
}

/// The path of a dimension from the root group.
pub fn path(schema: &Schema, dim: DimId) -> String {
    let dim = schema.dim(dim);
    schema.path_in(dim.group, &dim.name)
}
