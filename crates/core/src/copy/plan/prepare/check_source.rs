//! Whether elements of an input variable can become elements of an output variable.

use crate::copy::plan::CopyPlan;
use crate::error::{Error, Result};
use crate::filter::NumberClass;
use crate::model::{Encoding, Schema, Type, VarId, VariableLayout};

/// Checks that elements of an input, of a type of `input` and stored as `from`, can become elements of the output variable
/// `out`. Copies convert the byte order, and elements that the reader converts. They change neither the size nor the class
/// of elements.
///
/// # Errors
/// [`Error::Usage`], which names the output variable.
pub fn check_source(
    (input, from_type): (&Schema, Type),
    from: &VariableLayout,
    plan: &CopyPlan,
    out: VarId,
) -> Result<()> {
    let output = &plan.schema;
    let to_type = output.var(out).ty;
    let to = &plan.variables[out.0].layout;
    let structured = [from.encoding, to.encoding].contains(&Encoding::Structured);
    let same_storage = match structured {
        // The size of elements in memory, because that in the file may be another.
        true => {
            input.type_size(from_type) == output.type_size(to_type)
                && input.has_heap(from_type) == output.has_heap(to_type)
        }
        false => (from.element_size, from.encoding) == (to.element_size, to.encoding),
    };
    if same_storage && NumberClass::of(input, from_type) == NumberClass::of(output, to_type) {
        return Ok(());
    }
    Err(
        Error::Usage("elements of an input are of another type, and cannot become part of it".into())
            .in_variable(&output.var_path(out)),
    )
}
