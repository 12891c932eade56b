//! Variables of references: whose chunks are places in the input, and which are stored among the references.

use super::chunking::one_chunk;
use crate::chunk::byte_count;
use crate::copy::plan::request::CopyOptions;
use crate::model::{Dimension, Encoding, Schema, Storage, VarId, VariableLayout};

/// Most bytes of a variable that is stored among references as it is, where nobody says.
const SMALL: u64 = 4096;

/// The same of a coordinate: programs read it whole when they open a dataset, and those of joined files seldom fit each other's chunks.
const SMALL_COORDINATE: u64 = 1 << 20;

/// True if the chunks of a variable that is stored as `from` in the input, and as `to` in the output, become references. Strings and lists,
/// what is in the metadata of the input, and what is small are stored as they are.
pub fn is_referenced(
    output: &Schema,
    var: VarId,
    (from, to): (&VariableLayout, &VariableLayout),
    options: &CopyOptions,
) -> bool {
    let is_plain = to.encoding != Encoding::Structured && from.storage != Storage::Compact;
    output.kind.can().references && is_plain && !is_small(output, var, to, options)
}

/// The storage of a small variable of references: one chunk, without filters. `None` for any other variable, and if the user chooses chunks.
pub fn in_one_chunk(
    output: &Schema,
    var: VarId,
    layout: &VariableLayout,
    dims: &[&Dimension],
    options: &CopyOptions,
) -> Option<Storage> {
    let is_plain = layout.encoding != Encoding::Structured && options.chunking.is_empty();
    let joined = output.kind.can().references && is_plain && is_small(output, var, layout, options);
    joined.then(|| Storage::Chunked {
        shape: one_chunk(dims),
    })
}

fn is_small(output: &Schema, var: VarId, layout: &VariableLayout, options: &CopyOptions) -> bool {
    let bytes = byte_count(&layout.extent, layout.stored_size());
    bytes.is_some_and(|bytes| are_few(output, var, bytes as u64, options))
}

/// True if so many bytes of a variable are stored among references as they are.
pub fn are_few(output: &Schema, var: VarId, bytes: u64, options: &CopyOptions) -> bool {
    let var = output.var(var);
    let is_coordinate = matches!(&var.dims[..], [dim] if output.dim(*dim).name == var.name);
    let most = options.inline_bytes.unwrap_or(match is_coordinate {
        true => SMALL_COORDINATE,
        false => SMALL,
    });
    bytes <= most
}
