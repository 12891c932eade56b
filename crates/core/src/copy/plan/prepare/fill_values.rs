//! What unwritten parts of the input and of the output read as.

use std::borrow::Cow;

use crate::chunk::{ChunkGrid, byte_count};
use crate::copy::geometry::{Sources, unit};
use crate::copy::plan::CopyPlan;
use crate::copy::strings::longest_string;
use crate::model::{
    Encoding, Endian, Schema, Slot, Storage, Type, Values, VarId, VariableLayout, default_fill_value,
    fill_value_attribute,
};

/// A variable without a fill value has its missing chunks written as zeros or empty text if all its chunks together take at
/// most this many bytes. Otherwise holes stay, and read as undefined.
const MOST_FILLED: u64 = 1 << 30;

/// Smallest size, in bytes, at which [`MOST_FILLED`] counts a chunk.
const LEAST_CHUNK: u64 = 1024;

/// Gives a fill value to variables that are made of parts, if their kind cannot be without one. What no part fills is
/// written as that value.
pub fn with_fill_values(plan: &CopyPlan) -> Cow<'_, CopyPlan> {
    let mut plan = Cow::Borrowed(plan);
    if plan.schema.kind.can().no_fill {
        return plan;
    }
    for n in 0..plan.variables.len() {
        let copy = &plan.variables[n];
        let fill = &copy.layout.fill;
        if !matches!(copy.sources, Sources::Parts(_)) || fill.value.is_some() && !fill.no_fill {
            continue;
        }
        let var = &plan.schema.vars[n];
        let value = fill.value.as_ref().or_else(|| fill_value_attribute(var));
        if let Some(value) = value.cloned().or_else(|| default_fill_value(var.ty)) {
            let fill = &mut plan.to_mut().variables[n].layout.fill;
            (fill.value, fill.no_fill) = (Some(value), false);
        }
    }
    plan
}

/// True if a variable has a fill value that some readers of its kind do not find where nothing was written. All its chunks
/// are then written.
pub fn reads_wrong_unwritten(plan: &CopyPlan, out: VarId) -> bool {
    let layout = &plan.variables[out.0].layout;
    let can = plan.schema.kind.can();
    let reads_wrong = |value: &Values| match plan.schema.var(out).ty {
        Type::Char => can.unwritten_characters_are_empty && !value.is_zero(),
        Type::String if can.unwritten_strings_fail => !is_nil(value),
        Type::String => can.unwritten_strings_are_empty && longest_string(value) > 0,
        ty if plan.schema.has_heap(ty) => can.unwritten_strings_are_empty && longest_string(value) > 0,
        _ => {
            can.unwritten_big_endian_is_swapped
                && unit(layout) > 1
                && layout.endian == Endian::Big
                && !value.is_zero()
        }
    };
    layout
        .fill
        .value
        .as_ref()
        .filter(|_| !layout.fill.no_fill)
        .is_some_and(reads_wrong)
}

/// True for the string that has no bytes at all. The empty string has a place of its own in HDF5.
fn is_nil(value: &Values) -> bool {
    value.bytes == Slot::NIL.to_bytes()
}

/// True if what was never written reads as one value in the input, and as another in the output. It is then written.
pub fn fills_otherwise(from: &VariableLayout, to: &VariableLayout) -> bool {
    matches!((&from.fill.value, &to.fill.value), (Some(a), Some(b)) if a != b) && !to.fill.no_fill
}

/// True if unwritten text of the input is empty, that of the output is NIL, and all of the output is small enough to be
/// written.
pub fn loses_empty_text(from: &VariableLayout, plan: &CopyPlan, to: &VariableLayout) -> bool {
    let size = byte_count(&to.extent, to.element_size).unwrap_or(usize::MAX) as u64;
    let is_nil = to.fill.no_fill && !plan.schema.kind.can().unwritten_strings_are_empty;
    from.fill.empty_text && is_nil && size <= MOST_FILLED
}

/// True if all chunks of a variable are written because it has no fill value and they are small.
pub fn filled_up(to: &VariableLayout, grid: &ChunkGrid) -> bool {
    let chunk = byte_count(grid.chunk(), to.element_size).unwrap_or(usize::MAX) as u64;
    to.fill.no_fill && grid.len().saturating_mul(chunk.max(LEAST_CHUNK)) <= MOST_FILLED
}

/// True if the input's fill values need not be written: unwritten parts of the output read as the same, or
/// are undefined.
pub fn same_fill(from: &VariableLayout, to: &VariableLayout) -> bool {
    let zeros = |layout: &VariableLayout| layout.fill.value.as_ref().is_none_or(Values::is_zero);
    to.fill.no_fill || from.fill.value == to.fill.value || zeros(from) && zeros(to)
}

/// True if chunks of such a variable can be left out: they have a fill value that everybody reads in their place. A fill value
/// of strings must be the empty string.
pub fn can_skip(schema: &Schema, var: VarId, to: &VariableLayout) -> bool {
    let (can, ty) = (schema.kind.can(), schema.var(var).ty);
    let is_chunked = matches!(to.storage, Storage::Chunked { .. });
    let Some(value) = to.fill.value.as_ref().filter(|_| !to.fill.no_fill) else {
        return false;
    };
    let reads_as_fill = match ty {
        Type::Char if can.unwritten_characters_are_empty => value.is_zero(),
        Type::String if can.unwritten_strings_fail => is_nil(value),
        Type::String => longest_string(value) == 0,
        _ => to.encoding != Encoding::Structured,
    };
    can.skips_chunks && is_chunked && reads_as_fill
}
