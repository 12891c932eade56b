//! Copying a [`Band`] of interleaved record variables: records are read as they lie in the input, many at once.
//!
//! ```text
//! records ─► read ─┬─► as they are ─► Writer::write_records          where the output interleaves them too
//!                  └─► transpose: one plane of records a variable
//!                        └─► chunks: encode ─► Writer                in the order variable, chunk
//!                        └─► Writer::write_range                     where the output is contiguous
//! ```
//!
//! A job takes one run of records, for all variables of the band or, if memory is short, for some.

use std::ops::Range;
use std::time::Duration;

use super::bands::{Band, Member};
use super::chunk_data::Data;
use super::execute::{PIECE, Target, Worker, at_chunk, fill_block};
use super::fetch::RecordPart;
use super::job::{Job, Jobs, Terms, encode_cost};
use super::ledger::Cost;
use super::prepare::Variable;
use super::report::Meters;
use super::route::swap_between;
use super::run::Engine;
use crate::chunk::{Axis, ChunkGrid, byte_count, copy_region, copy_strided, resize, swap_units};
use crate::error::{Error, Result};
use crate::format::{RecordBlock, RecordSlab};
use crate::model::VariableLayout;

/// Upper limit, in bytes, of the part of a run that one job holds, however large the budget.
const MOST: u64 = 8 << 20;

/// About how many bytes are read and transposed at once, so that they stay in a processor's cache.
const TRANSPOSED: u64 = 256 << 10;

/// Whole records are read if a part leaves out at most this many bytes of each. One long read is faster than
/// many short ones.
const SLACK: u64 = 64;

/// The part of a band that one job copies.
pub(super) struct Part<'e> {
    band: &'e Band,
    /// All variables of the copy.
    variables: &'e [Variable],
    members: Range<usize>,
    records: Range<u64>,
    /// Ticket of the part's first chunk.
    ticket: u64,
}

impl<'e> Part<'e> {
    fn members(&self) -> &'e [Member] {
        &self.band.members[self.members.clone()]
    }

    /// The first variable of the part.
    pub fn variable(&self) -> &'e Variable {
        &self.variables[self.band.members[self.members.start].variable]
    }

    /// The range of bytes in each record that is read.
    fn bytes(&self) -> Range<u64> {
        span(self.band, self.members())
    }

    /// Adds what the part read to the counters of its variables, and shares the time among them.
    pub fn count_in(&self, meters: &Meters, time: Duration) {
        let slabs = self.members().iter().map(|m| m.slab.length).sum::<u64>().max(1);
        for member in self.members() {
            let out = self.variables[member.variable].out;
            meters.read(out, member.slab.length * self.count());
            #[expect(clippy::cast_precision_loss, reason = "a share of time")]
            meters.work(out, time.mul_f64(member.slab.length as f64 / slabs as f64));
        }
    }

    /// The records that the part reads.
    pub fn input(&self) -> RecordPart {
        RecordPart {
            first: self.records.start,
            count: self.count(),
            part: self.bytes(),
        }
    }

    /// True if the part's cost counts the records as read.
    pub fn cost_counts_input(&self) -> bool {
        self.members().iter().all(|member| member.across == 0)
    }

    fn count(&self) -> u64 {
        self.records.end - self.records.start
    }
}

/// The range of bytes in each record that holds these members.
fn span(band: &Band, members: &[Member]) -> Range<u64> {
    let (Some(first), Some(last)) = (members.first(), members.last()) else {
        return 0..0;
    };
    let span = first.slab.offset..last.slab.offset + last.slab.length;
    if band.record_size - (span.end - span.start) <= SLACK {
        return 0..band.record_size;
    }
    span
}

/// The jobs that copy a band.
pub(super) fn jobs<'e>(terms: &'e Terms<'e>, variables: &'e [Variable], band: &'e Band) -> Jobs<'e> {
    let chunked = band.members.iter().any(|m| m.across > 0);
    let bytes = span(band, &band.members);
    // Without tickets, the order of jobs does not matter, so runs may have any length.
    let (run, most) = if chunked {
        (band.run, (terms.budget / (4 * terms.threads as u64)).min(MOST))
    } else {
        let run = terms.passed_on() / (bytes.end - bytes.start).max(1);
        (run.clamp(1, band.records.max(1)), terms.passed_on())
    };
    let mut first = 0;
    let mut member = 0;
    let mut ticket = band.ticket;
    Box::new(std::iter::from_fn(move || {
        if member == band.members.len() {
            (first, member) = (first + run, 0);
        }
        if first >= band.records {
            return None;
        }
        let records = first..(first + run).min(band.records);
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
        let part = Part {
            band,
            variables,
            members: begin..member,
            records,
            ticket,
        };
        ticket += chunks;
        let cost = cost(terms, &part);
        Some(Ok((Job::Records(part), cost)))
    }))
}

/// Most bytes that the writer holds for `count` records of a variable, until it has all their chunks in
/// order.
fn kept(terms: &Terms, variables: &[Variable], member: &Member, count: u64) -> u64 {
    let layout = &terms.plans[variables[member.variable].out.0].layout;
    let chunk = chunk_bytes(layout) as u64;
    member.chunks(count).saturating_mul(chunk.saturating_add(PIECE))
}

fn cost(terms: &Terms, part: &Part) -> Cost {
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
        let chunk = chunk_bytes(layout) as u64;
        working = working.saturating_add(kept(terms, part.variables, member, part.count()));
        largest = largest.max(chunk.saturating_add(encode_cost(layout, chunk)));
    }
    Cost {
        working: working.saturating_add(largest),
        block: 0,
    }
}

/// Bytes of a decoded chunk.
fn chunk_bytes(layout: &VariableLayout) -> usize {
    byte_count(layout.chunk_shape(), layout.element_size).unwrap_or(usize::MAX)
}

impl Worker {
    /// Copies a part of a band. Returns how many bytes of output variables that was.
    pub(super) fn records(&mut self, engine: &Engine, part: &Part) -> Result<u64> {
        let straight = part.members().iter().all(|member| {
            let var = &part.variables[member.variable];
            let from = engine.terms.reader.layout(var.input().var);
            let to = &engine.terms.plans[var.out.0].layout;
            member.across == 0 && engine.sink.writer.interleaves(var.out) && swap_between(from, to) == 1
        });
        if straight {
            return self.pass_records(engine, part);
        }
        let mut planes = std::mem::take(&mut self.block);
        let copied = self
            .read_planes(engine, part, &mut planes)
            .and_then(|()| self.write_planes(engine, part, &mut planes));
        self.block = planes;
        copied
    }

    /// Writes records as they are read.
    fn pass_records(&mut self, engine: &Engine, part: &Part) -> Result<u64> {
        let bytes = part.bytes();
        let stride = size(bytes.end - bytes.start)?;
        let all = size(part.count())?.checked_mul(stride).ok_or_else(too_long)?;
        let fetched = self.fetched.take_records();
        let data = match &fetched {
            Some(fetched) => fetched.get(..all).ok_or_else(too_long)?,
            None => {
                if self.decoded.len() < all {
                    resize(&mut self.decoded, all)?;
                }
                let data = &mut self.decoded[..all];
                let reader = engine.terms.reader;
                reader.read_records(part.records.start, bytes.clone(), data)?;
                data
            }
        };
        let slabs: Vec<_> = part
            .members()
            .iter()
            .map(|member| RecordSlab {
                var: part.variables[member.variable].out,
                offset: member.slab.offset - bytes.start,
                length: member.slab.length,
            })
            .collect();
        let block = RecordBlock {
            first: part.records.start,
            stride,
            slabs: &slabs,
            data,
        };
        engine.sink.write_records(part.variable(), block)?;
        Ok(slabs.iter().map(|slab| slab.length).sum::<u64>() * part.count())
    }

    /// Reads records and makes one plane for each variable, one after another, in the input's byte order.
    fn read_planes(&mut self, engine: &Engine, part: &Part, planes: &mut Vec<u8>) -> Result<()> {
        let bytes = part.bytes();
        let stride = size(bytes.end - bytes.start)?;
        let count = size(part.count())?;
        let slabs = part.members().iter().map(|m| m.slab.length).sum::<u64>();
        let all = size(slabs)?.checked_mul(count).ok_or_else(too_long)?;
        let at_once = (TRANSPOSED as usize / stride.max(1)).clamp(1, count.max(1));
        if planes.len() < all {
            resize(planes, all)?;
        }
        let fetched = self.fetched.take_records();
        if fetched.is_none() && self.decoded.len() < at_once * stride {
            resize(&mut self.decoded, at_once * stride)?;
        }
        let mut done = 0;
        while done < count {
            let now = at_once.min(count - done);
            let read = match &fetched {
                Some(fetched) => fetched
                    .get(done * stride..(done + now) * stride)
                    .ok_or_else(too_long)?,
                None => {
                    let read = &mut self.decoded[..now * stride];
                    let first = part.records.start + done as u64;
                    engine.terms.reader.read_records(first, bytes.clone(), read)?;
                    read
                }
            };
            let mut plane = 0;
            for member in part.members() {
                let length = member.slab.length as usize;
                let from = (member.slab.offset - bytes.start) as usize;
                self.axes.clear();
                self.axes.push(Axis {
                    count: now,
                    src: stride,
                    dst: length,
                });
                let to = plane + done * length;
                copy_strided(read, from, planes, to, &mut self.axes, length, 1)?;
                plane += count * length;
            }
            done += now;
        }
        Ok(())
    }

    fn write_planes(&mut self, engine: &Engine, part: &Part, planes: &mut [u8]) -> Result<u64> {
        let count = size(part.count())?;
        let mut chunk = Vec::new();
        let mut ticket = part.ticket;
        let mut bytes = 0;
        let mut rest = planes;
        for member in part.members() {
            let var = &part.variables[member.variable];
            let (plane, behind) = rest.split_at_mut(count * member.slab.length as usize);
            rest = behind;
            let from = engine.terms.reader.layout(var.input().var);
            let to = &engine.terms.plans[var.out.0].layout;
            swap_units(plane, swap_between(from, to));
            if member.across == 0 {
                let offset = part.records.start * member.slab.length;
                var.quantize_range(plane, offset);
                engine.sink.write_range(var, offset, plane)?;
                bytes += plane.len() as u64;
                continue;
            }
            let grid = ChunkGrid::new(&to.extent, to.chunk_shape())?;
            let target = Target {
                sink: engine.sink,
                var,
                layout: to,
                pipeline: &engine.terms.plans[var.out.0].pipeline,
                grid: &grid,
            };
            let chunks = member.chunks(part.count());
            let first = part.records.start / member.chunk * member.across;
            for n in first..first + chunks {
                self.write_from_plane(part, plane, from, &target, n, ticket, &mut chunk)
                    .map_err(|e| at_chunk(e, to, n).in_variable(&var.name))?;
                ticket += 1;
            }
            bytes += chunks * chunk_bytes(to) as u64;
        }
        Ok(bytes)
    }

    /// Writes chunk `n`, whose records are all in `plane`. `buffer` is scratch space for a chunk that `plane`
    /// does not hold in one run.
    fn write_from_plane(
        &mut self,
        part: &Part,
        plane: &[u8],
        from: &VariableLayout,
        target: &Target,
        n: u64,
        ticket: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        let to = target.layout;
        let shape = target.grid.chunk();
        let inside = target.grid.region(n);
        let mut start = inside.start.clone();
        start[0] -= part.records.start;
        if inside.count == shape && shape[1..] == to.extent[1..] {
            let length = chunk_bytes(to);
            let begin = size(start[0])? * (length / size(shape[0])?);
            let data = plane.get(begin..begin + length).ok_or_else(too_long)?;
            return self.write_chunk(target, n, ticket, Data::Borrowed(data));
        }
        fill_block(buffer, chunk_bytes(to), from, to)?;
        let mut extent = to.extent.clone();
        extent[0] = part.count();
        let origin = vec![0; shape.len()];
        copy_region(
            plane,
            &extent,
            &start,
            buffer,
            shape,
            &origin,
            &inside.count,
            to.element_size,
            1,
        )?;
        // `Data::Borrowed` copies a chunk without filters, because the writer keeps its bytes.
        self.write_chunk(target, n, ticket, Data::Borrowed(buffer))
    }
}

fn size(n: u64) -> Result<usize> {
    usize::try_from(n).map_err(|_| too_long())
}

fn too_long() -> Error {
    Error::Internal("records that do not fit into memory".into())
}
