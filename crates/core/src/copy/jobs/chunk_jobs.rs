//! The jobs of a variable whose chunks keep their shape, or that is contiguous in input and output.

use std::ops::Range;

use super::job::{Costed, Job};
use super::job_memory::{chunk_bytes, decode_cost_of, encode_cost};
use super::terms::Terms;
use crate::copy::geometry::{AlignedGrids, InputMapping};
use crate::copy::memory::JobMemory;
use crate::copy::task::Variable;
use crate::filter::pipeline::ALL_SKIPPED;
use crate::model::VariableLayout;

/// About how many bytes of memory a reference takes.
const REFERENCE: u64 = 256;

/// The jobs that pass encoded chunks on.
pub fn raw<'e>(
    terms: &'e Terms<'e>,
    var: &'e Variable,
    same: &'e AlignedGrids,
) -> impl Iterator<Item = Costed<'e>> + Send + 'e {
    let to = &terms.plans[var.out.0].layout;
    let whole = chunk_bytes(to);
    // A chunk that a selection or the input's extent cuts is decoded and encoded again, and one that skipped codecs where
    // the output has no filter masks or other codecs at the end.
    let is_cut = |input: &InputMapping| {
        input.selection.is_some() || input.grid.as_ref().is_some_and(|grid| grid.extent() != to.extent)
    };
    let loses_masks = !terms.plans[var.out.0].pipeline.allows(ALL_SKIPPED)
        && var
            .inputs
            .iter()
            .any(|input| input.may_have_masks(&terms.readers));
    let changes = !same.ends.is_empty();
    let is_virtual = var.inputs.iter().any(|input| input.is_virtual(&terms.readers));
    let cut = match loses_masks || changes || is_virtual || var.skips_fill || var.inputs.iter().any(is_cut) {
        true => decode_cost_of(terms, var).saturating_add(encode_cost(to, whole)),
        false => 0,
    };
    let order = same.order();
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        let mut bytes = 0u64;
        while bytes < terms.passed_on() && next - first < 4096 {
            let Some(position) = var.to_write.position(next) else {
                break;
            };
            next += 1;
            if var.referenced {
                bytes = bytes.saturating_add(REFERENCE);
                continue;
            }
            let source = same.source(&var.inputs, same.chunk(&order, position));
            let size = source.and_then(|(input, chunk)| var.inputs[input].stored_size(&terms.readers, chunk));
            bytes = bytes.saturating_add(size.unwrap_or(whole));
        }
        let chunks = first..next;
        (first < next).then_some(Ok((
            Job::Raw { var, chunks },
            JobMemory {
                working: bytes.saturating_add(cut),
                block: 0,
            },
        )))
    })
}

/// The jobs that decode and encode chunks one by one.
pub fn refilter<'e>(
    terms: &'e Terms<'e>,
    var: &'e Variable,
    to: &VariableLayout,
) -> impl Iterator<Item = Costed<'e>> + Send + 'e {
    let chunk = chunk_bytes(to);
    let cost = JobMemory {
        working: decode_cost_of(terms, var) + encode_cost(to, chunk),
        block: 0,
    };
    batches(var.to_write.len(), chunk, terms.batch()).map(move |chunks| {
        let kept = chunk.saturating_mul(chunks.end - chunks.start - 1);
        let working = cost.working.saturating_add(kept);
        Ok((Job::Refilter { var, chunks }, JobMemory { working, ..cost }))
    })
}

/// The jobs that move bytes of contiguous storage.
pub fn ranges<'e>(
    terms: &'e Terms<'e>,
    var: &'e Variable,
    range: &'e Range<u64>,
) -> impl Iterator<Item = Costed<'e>> + Send + 'e {
    let (begin, total) = (range.start, range.end - range.start);
    // A whole number of elements' numbers, which are 8 bytes at most.
    let each = terms.passed_on() / 8 * 8;
    (0..total.div_ceil(each)).map(move |n| {
        let offset = begin + n * each;
        let length = each.min(range.end - offset);
        Ok((
            Job::Bytes { var, offset, length },
            JobMemory {
                working: length,
                block: 0,
            },
        ))
    })
}

/// Splits `count` chunks of `bytes` bytes each into jobs of about `batch` bytes.
fn batches(count: u64, bytes: u64, batch: u64) -> impl Iterator<Item = Range<u64>> {
    let each = (batch / bytes.max(1)).clamp(1, 4096);
    (0..count.div_ceil(each)).map(move |n| n * each..(n * each + each).min(count))
}
