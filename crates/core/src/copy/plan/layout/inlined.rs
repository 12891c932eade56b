//! Variables of references: whose chunks are places in the input, and which are stored among the references.

use super::chunking::one_chunk;
use crate::chunk::byte_count;
use crate::copy::plan::request::CopyOptions;
use crate::model::{Capabilities, Dimension, Encoding, Storage, VariableLayout};

/// Most bytes of a variable that is stored among references as it is, where nobody says.
pub const DEFAULT_INLINE: u64 = 4096;

/// True if the chunks of a variable that is stored as `from` in the input, and as `to` in the output, become references. Strings and lists,
/// what is in the metadata of the input, and what is small are stored as they are.
pub fn is_referenced(
    from: &VariableLayout,
    to: &VariableLayout,
    can: &Capabilities,
    options: &CopyOptions,
) -> bool {
    let is_plain = to.encoding != Encoding::Structured && from.storage != Storage::Compact;
    can.references && is_plain && !is_small(to, options)
}

/// The storage of a small variable of references: one chunk, without filters. `None` for any other variable, and if the user chooses chunks.
pub fn in_one_chunk(
    layout: &VariableLayout,
    dims: &[&Dimension],
    can: &Capabilities,
    options: &CopyOptions,
) -> Option<Storage> {
    let is_plain = layout.encoding != Encoding::Structured && options.chunking.is_empty();
    (can.references && is_plain && is_small(layout, options)).then(|| Storage::Chunked {
        shape: one_chunk(dims),
    })
}

fn is_small(layout: &VariableLayout, options: &CopyOptions) -> bool {
    let most = options.inline_bytes.unwrap_or(DEFAULT_INLINE);
    byte_count(&layout.extent, layout.stored_size()).is_some_and(|bytes| bytes as u64 <= most)
}
