//! The jobs of a variable whose elements are copied as [`Values`](crate::model::Values).

use super::job::{Costed, Job};
use super::job_memory::{PIECE, chunk_bytes, decode_cost_of, slot_bytes};
use super::pieces::{grouped, written_blocks};
use super::terms::Terms;
use crate::copy::geometry::{InputMapping, Tiling};
use crate::copy::memory::JobMemory;
use crate::copy::task::Variable;
use crate::model::VariableLayout;

/// Upper limit, in bytes, of a block of elements that are copied as values.
const VALUES: u64 = 8 << 20;

/// The jobs that copy blocks of elements as values.
pub fn values<'e>(
    terms: &'e Terms<'e>,
    var: &'e Variable,
    tiling: &'e Tiling,
    to: &VariableLayout,
) -> impl Iterator<Item = Costed<'e>> + Send + 'e {
    // The size of heap data is unknown until it is read. The cost counts the elements three times:
    // for themselves, their heap data, and the chunks cut from them. Strings that are padded to a fixed number
    // of bytes take more in the output than in memory.
    let padded = to.string_length.map_or(0, |_| chunk_bytes(to));
    let chunk = slot_bytes(tiling, to).max(padded).saturating_add(PIECE);
    let most = (VALUES.min(terms.budget / (8 * terms.threads as u64)) / chunk).max(1);
    // A chunk of padded strings is decoded as a whole, though it takes more than its elements in memory.
    let is_padded = |input: &InputMapping| input.layout(&terms.readers).string_length.is_some();
    let decoded = match var.inputs.iter().any(is_padded) {
        true => decode_cost_of(terms, var),
        false => 0,
    };
    let order = tiling.order(most);
    let largest = order.block_at(0);
    let bytes = (largest.end - largest.first).saturating_mul(chunk);
    grouped(written_blocks(var, order), bytes, terms.batch()).map(move |blocks| {
        let working = bytes.saturating_mul(3).saturating_mul(blocks.len() as u64);
        let working = working.saturating_add(decoded);
        Ok((
            Job::Values { var, tiling, blocks },
            JobMemory { working, block: 0 },
        ))
    })
}
