//! The variables that an option names.

use crate::error::{Request, Result};
use crate::model::similar::question;
use crate::model::{NamePattern, Schema, VarId};

/// The variables of the input that a request names: one, by its path from the root group, or all that a glob matches.
///
/// # Errors
/// The input has none of this name; the message asks about a similar one. A glob other than `*` matches nothing.
pub fn named_variables(input: &Schema, request: Request, name: &NamePattern) -> Result<Vec<VarId>> {
    if name.is_glob() {
        let found = input.vars_matching(name);
        return match found.is_empty() && !name.is_all() {
            true => Err(request.error(format!("no variable of the input matches '{}'", name.as_str()))),
            false => Ok(found),
        };
    }
    let name = name.as_str();
    let found = input.var_at(name).ok_or_else(|| {
        let names = input.vars.iter().map(|var| var.name.as_str());
        let meant = question(name, names);
        request.error(format!("the input has no variable named '{name}'{meant}"))
    });
    Ok(vec![found?])
}
