//! The memory that jobs need, in bytes.

use super::terms::Terms;
use crate::chunk::byte_count;
use crate::copy::geometry::Tiling;
use crate::copy::task::Variable;
use crate::model::VariableLayout;

/// About how many bytes of memory a piece of data takes in the writer besides its own bytes. It matters if
/// chunks are small.
pub const PIECE: u64 = 192;

/// Bytes of memory to decode a chunk of any of a variable's inputs. An input without chunks needs one batch.
pub fn decode_cost_of(terms: &Terms, var: &Variable) -> u64 {
    let costs = var.inputs.iter().map(|input| match &input.grid {
        Some(_) => {
            let from = input.layout(&terms.readers);
            decode_cost(from, chunk_bytes(from))
        }
        None => terms.batch(),
    });
    costs.max().unwrap_or(0)
}

/// Bytes of a decoded chunk, as the format stores it: strings may take a fixed number of bytes each.
pub fn chunk_bytes(layout: &VariableLayout) -> u64 {
    byte_count(layout.chunk_shape(), layout.stored_size()).unwrap_or(usize::MAX) as u64
}

/// Bytes of memory to read and decode a chunk of `bytes` bytes: as stored, decoded, and between filters.
pub fn decode_cost(layout: &VariableLayout, bytes: u64) -> u64 {
    bytes.saturating_mul(1 + layout.filters.len().min(3) as u64)
}

/// Bytes of memory to encode a chunk of `bytes` bytes, without the chunk itself: between filters, and as
/// stored.
pub fn encode_cost(layout: &VariableLayout, bytes: u64) -> u64 {
    bytes.saturating_mul(match layout.filters.len() {
        0 => 0,
        n => 1 + n.min(2) as u64,
    })
}

/// Size in bytes of one output chunk, or of one slab if the output has no chunks.
pub fn slot_bytes(tiling: &Tiling, to: &VariableLayout) -> u64 {
    byte_count(tiling.grid.chunk(), to.element_size).unwrap_or(usize::MAX) as u64
}
