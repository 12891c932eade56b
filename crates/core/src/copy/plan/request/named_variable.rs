//! The variable that an option names.

use crate::error::{Request, Result};
use crate::model::similar::question;
use crate::model::{Schema, VarId};

/// The variable of the input that a request names.
///
/// # Errors
/// The input has none of this name. The message asks about a similar one.
pub fn named_variable(input: &Schema, request: Request, name: &str) -> Result<VarId> {
    input.var_at(name).ok_or_else(|| {
        let names = input.vars.iter().map(|var| var.name.as_str());
        let meant = question(name, names);
        request.error(format!("the input has no variable named '{name}'{meant}"))
    })
}
