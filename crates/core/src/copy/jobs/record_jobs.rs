//! The jobs of a band of interleaved record variables. A job takes one run of records, for all variables of the band or, if
//! memory is short, for some.

use super::job::{Job, Jobs};
use super::job_memory::{PIECE, encode_cost};
use super::record_job::{RecordJob, TRANSPOSED, span};
use super::terms::Terms;
use crate::chunk::byte_count;
use crate::copy::memory::JobMemory;
use crate::copy::task::{Band, Member, Variable};
use crate::model::VariableLayout;

/// Upper limit, in bytes, of the part of a run that one job holds, however large the budget.
const MOST: u64 = 8 << 20;

/// The jobs that copy a band.
pub fn records<'e>(terms: &'e Terms<'e>, variables: &'e [Variable], band: &'e Band) -> Jobs<'e> {
    let chunked = band.members.iter().any(|m| m.across > 0);
    let bytes = span(band, &band.members);
    // Without sequence numbers, the order of jobs does not matter, so runs may have any length.
    let (run, most) = if chunked {
        (band.run, (terms.budget / (4 * terms.threads as u64)).min(MOST))
    } else {
        let run = terms.passed_on() / (bytes.end - bytes.start).max(1);
        (run.clamp(1, band.records.end.max(1)), terms.passed_on())
    };
    let mut first = band.records.start;
    let mut member = 0;
    let mut sequence = band.first_sequence;
    Box::new(std::iter::from_fn(move || {
        if member == band.members.len() {
            (first, member) = (first + run, 0);
        }
        if first >= band.records.end {
            return None;
        }
        let records = first..(first + run).min(band.records.end);
        let count = records.end - records.start;
        let begin = member;
        let mut held = 0u64;
        let mut chunks = 0u64;
        while let Some(next) = band.members.get(member) {
            let more = next.slab.length.saturating_mul(count);
            held = held
                .saturating_add(more)
                .saturating_add(kept(terms, variables, next, count));
            if member > begin && held > most {
                break;
            }
            chunks += next.chunks(count);
            member += 1;
        }
        let part = RecordJob {
            band,
            variables,
            members: begin..member,
            records,
            first_sequence: sequence,
        };
        sequence += chunks;
        let cost = cost(terms, &part);
        Some(Ok((Job::Records(part), cost)))
    }))
}

/// Most bytes that the writer holds for `count` records of a variable, until it has all their chunks in
/// order.
fn kept(terms: &Terms, variables: &[Variable], member: &Member, count: u64) -> u64 {
    let layout = &terms.plans[variables[member.variable].out.0].layout;
    let chunk = decoded_chunk_bytes(layout) as u64;
    member.chunks(count).saturating_mul(chunk.saturating_add(PIECE))
}

fn cost(terms: &Terms, part: &RecordJob) -> JobMemory {
    let bytes = part.bytes();
    let records = (bytes.end - bytes.start).saturating_mul(part.count());
    // Contiguous outputs need the records as read, and rearranged. Chunked ones need the planes, and a few
    // records as read.
    let mut working = records.saturating_mul(2);
    let mut largest = 0;
    if part.members().iter().any(|m| m.across > 0) {
        let slabs: u64 = part.members().iter().map(|m| m.slab.length).sum();
        working = slabs
            .saturating_mul(part.count())
            .saturating_add(records.min(TRANSPOSED.max(bytes.end - bytes.start)));
    }
    for member in part.members().iter().filter(|m| m.across > 0) {
        let layout = &terms.plans[part.variables[member.variable].out.0].layout;
        let chunk = decoded_chunk_bytes(layout) as u64;
        working = working.saturating_add(kept(terms, part.variables, member, part.count()));
        largest = largest.max(chunk.saturating_add(encode_cost(layout, chunk)));
    }
    JobMemory {
        working: working.saturating_add(largest),
        block: 0,
    }
}

/// Bytes of a decoded chunk.
pub fn decoded_chunk_bytes(layout: &VariableLayout) -> usize {
    byte_count(layout.chunk_shape(), layout.element_size).unwrap_or(usize::MAX)
}
