//! The share of one process in a copy: several processes write one dataset together.
//!
//! ```text
//! prepare ─► Prepared ─► into_share(0, 3) ─► run ─► writer of a share: its chunks, published by nobody
//!                   └──► into_share(1, 3) ─► …
//! ```
//!
//! Each process prepares the same copy and takes its share. No two shares have a chunk or shard in common.
//! Together they hold every chunk that is written.
//!
//! The work of all variables is one line, in sequence order. It is cut into lengths of equal cost:
//!
//! ```text
//! a         b                  c d e           f
//! ├─────────┼──────────────────┼─┼─┼───────────┤   each variable is as long as it costs
//! ├─ share 0 ─────┼─ share 1 ─────┼─ share 2 ──┤   a share ends at the end of the chunk, shard or run that is nearest
//! ```

use std::ops::Range;

use super::numbering::{decoded_bytes, number_pieces};
use super::prepared::Prepared;
use crate::chunk::ChunkGrid;
use crate::copy::geometry::{Block, ChunksToWrite};
use crate::copy::task::{Band, Route, Variable};
use crate::error::{Error, Result};
use crate::format::{Promised, VariablePlan};
use crate::model::{Encoding, Storage, VariableLayout};

/// Contiguous bytes are cut at multiples of this number, so that no number of any size is split. What two processes write of one block
/// of a file is kept apart by [`SharedFile`](crate::store::SharedFile).
const UNIT: u64 = 8;

/// Cost of a chunk besides that of its bytes.
const CHUNK: u64 = 4096;

/// Cost of a byte that is moved. Only ratios of costs matter.
const MOVED: u64 = 1;

/// Cost of a byte that is decoded, besides that of moving it.
const DECODED: u64 = 4;

/// Cost of a byte that is encoded, besides that of moving it.
const ENCODED: u64 = 20;

impl Prepared {
    /// The `n`th of `of` shares of about equal cost. Its plans promise only the data of this share, its progress
    /// counts only that data, and its sequence numbers start at 0. Shards are never split.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is no such share.
    pub fn into_share(mut self, n: u64, of: u64) -> Result<Self> {
        if n >= of {
            return Err(Error::Usage(format!("part {n} of {of}, counted from 0")));
        }
        let line = WorkSequence::of(&self);
        let pieces: Vec<Range<u64>> = line.share(&self, n, of).collect();
        // The chunks of a variable may go by several routes, each of which adds its own.
        for plan in &mut self.plans {
            if let Promised::Chunks(chunks) = &mut plan.promised {
                *chunks = 0;
            }
        }
        for (at, pieces) in pieces.into_iter().enumerate() {
            self.take(at, pieces);
        }
        for var in &mut self.variables {
            let plan = &self.plans[var.out.0];
            var.progress = match (plan.promised, &var.route) {
                (Promised::Nothing, _) => 0,
                (Promised::Chunks(chunks), Route::Records(_)) => decoded_bytes(&plan.layout, chunks),
                (Promised::Chunks(_), _) => decoded_bytes(&plan.layout, var.to_write.len()),
                (Promised::Bytes(bytes), _) => bytes,
            };
        }
        number_pieces(&mut self.variables, &self.plans);
        Ok(self)
    }

    /// What each of `of` shares does, of each variable that it does anything of.
    pub fn shares(&self, of: u64) -> impl Iterator<Item = Vec<ShareOf<'_>>> {
        let line = WorkSequence::of(self);
        (0..of).map(move |n| {
            let pieces = line.share(self, n, of).enumerate();
            let taken = pieces.filter(|(_, pieces)| !pieces.is_empty());
            taken
                .map(|(at, pieces)| ShareOf {
                    name: &self.variables[at].name,
                    decoded: line.works[at].decoded.saturating_mul(pieces.end - pieces.start),
                    pieces,
                })
                .collect()
        })
    }

    /// Leaves out the variables whose elements the writer encodes. Where the output is one file, only the process that completes it
    /// can write them.
    pub fn leave_encoded(&mut self) {
        for at in 0..self.variables.len() {
            if self.is_encoded_by_writer(at) {
                self.variables[at].to_write = ChunksToWrite::first(0);
                let promised = &mut self.plans[self.variables[at].out.0].promised;
                *promised = match promised {
                    Promised::Chunks(_) => Promised::Chunks(0),
                    _ => Promised::Nothing,
                };
            }
        }
    }

    /// True for a variable whose elements the writer encodes: in a file of one piece they may hold addresses of other data of the
    /// file.
    pub(in crate::copy) fn is_encoded_by_writer(&self, at: usize) -> bool {
        let var = &self.variables[at];
        let encoding = self.plans[var.out.0].layout.encoding;
        matches!(var.route, Route::Values(_)) && encoding == Encoding::Structured
    }

    /// The range of a variable's pieces between two points of the line, which count from the begin of the variable's work. Chunks that
    /// are made of the same input chunks stay together, if they are `most` points at most: each of these is decoded once then. Shards
    /// stay together always.
    fn pieces(&self, at: usize, work: &Work, (from, to): (u128, u128), most: u128) -> Range<u64> {
        let var = &self.variables[at];
        let (order, sharded, tiling) = match &var.route {
            Route::Raw(same) | Route::Refilter(same) => (Some(same.order()), same.shard.is_some(), None),
            Route::Blocks(tiling) | Route::Values(tiling) => {
                let decodes = var.inputs.iter().any(|input| input.grid.is_some());
                let together = decodes.then_some(tiling);
                (Some(tiling.order(1)), tiling.shard.is_some(), together)
            }
            Route::Ranges(_) | Route::Records(_) => (None, false, None),
        };
        let pieces_of = |block: &Block| (var.to_write.before(block.first), var.to_write.before(block.end));
        let unit = |piece: u64| {
            let (Some(order), Some(position)) = (&order, var.to_write.position(piece)) else {
                return (piece, piece + 1);
            };
            let least = match sharded {
                true => pieces_of(&order.shard_at(position)),
                false => (piece, piece + 1),
            };
            // A tile may be smaller than a shard.
            let made = tiling.map(|tiling| pieces_of(&tiling.made_with(order, position)));
            let made = made.filter(|(first, end)| {
                let is_short = u128::from(end - first) * u128::from(work.each) <= most;
                is_short && *first <= least.0 && *end >= least.1
            });
            made.unwrap_or(least)
        };
        work.pieces(from, unit)..work.pieces(to, unit)
    }

    /// Reduces the variable at `at` to some pieces of its work. Those of a band are reduced with the first of them.
    fn take(&mut self, at: usize, pieces: Range<u64>) {
        let var = &mut self.variables[at];
        let plan = &mut self.plans[var.out.0];
        let to = &plan.layout;
        match &mut var.route {
            Route::Records(None) => {}
            Route::Records(Some(band)) => {
                let step = step(band);
                let run = |n: u64| band.records.start.saturating_add(n.saturating_mul(step));
                let end = band.records.end;
                band.records = run(pieces.start).min(end)..run(pieces.end).min(end);
                let count = band.records.end - band.records.start;
                for member in band.members.clone() {
                    let out = self.variables[member.variable].out;
                    let promised = &mut self.plans[out.0].promised;
                    *promised = match promised {
                        Promised::Chunks(_) => Promised::Chunks(member.chunks(count)),
                        _ => Promised::Bytes(member.slab.length.saturating_mul(count)),
                    };
                }
            }
            Route::Ranges(bytes) => {
                let byte = |units: u64| {
                    bytes
                        .start
                        .saturating_add(units.saturating_mul(UNIT))
                        .min(bytes.end)
                };
                *bytes = byte(pieces.start)..byte(pieces.end);
                plan.promised = Promised::Bytes(bytes.end - bytes.start);
            }
            Route::Raw(_) | Route::Refilter(_) => {
                var.to_write = var.to_write.part(pieces);
                plan.promised = more_chunks(plan.promised, var.to_write.len());
            }
            Route::Blocks(tiling) | Route::Values(tiling) => {
                let order = tiling.order(1);
                var.to_write = var.to_write.part(pieces);
                plan.promised = match to.storage {
                    Storage::Chunked { .. } => more_chunks(plan.promised, var.to_write.len()),
                    _ => Promised::Bytes(slab_bytes(&var.to_write, &tiling.grid, to, |position| {
                        tiling.grid.index(&order.block_at(position).span.start)
                    })),
                };
            }
        }
    }
}

/// What one share does of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareOf<'p> {
    /// Path of the variable; of variables that are copied together record by record, the first.
    pub name: &'p str,
    /// Its pieces: chunks in the order in which they are written, runs of records, or units of 8 bytes.
    pub pieces: Range<u64>,
    /// Their decoded bytes.
    pub decoded: u64,
}

/// The work of all variables, one after the other.
struct WorkSequence {
    works: Vec<Work>,
    cost: u128,
}

impl WorkSequence {
    fn of(prepared: &Prepared) -> Self {
        let works: Vec<Work> = prepared
            .variables
            .iter()
            .map(|var| Work::of(var, prepared))
            .collect();
        let cost = works.iter().map(Work::cost).fold(0, u128::saturating_add);
        Self { works, cost }
    }

    /// The pieces of each variable that are in a share.
    fn share<'a>(&'a self, prepared: &'a Prepared, n: u64, of: u64) -> impl Iterator<Item = Range<u64>> + 'a {
        let point = |k| {
            if k == of {
                u128::MAX
            } else {
                share(self.cost, k, of)
            }
        };
        let (from, to) = (point(n), point(n + 1));
        // So the shares differ by a quarter at most.
        let most = self.cost / u128::from(of.max(1)) / 4;
        let mut begin = 0u128;
        self.works.iter().enumerate().map(move |(at, work)| {
            let cut = (from.saturating_sub(begin), to.saturating_sub(begin));
            begin = begin.saturating_add(work.cost());
            prepared.pieces(at, work, cut, most)
        })
    }
}

/// What is promised of a variable with `chunks` more chunks.
fn more_chunks(promised: Promised, chunks: u64) -> Promised {
    match promised {
        Promised::Chunks(before) => Promised::Chunks(before.saturating_add(chunks)),
        _ => Promised::Chunks(chunks),
    }
}

/// The work of a variable, or of a band: pieces of equal cost, in sequence order.
#[derive(Debug)]
struct Work {
    /// Number of pieces: chunks, runs of records, or units of bytes.
    pieces: u64,
    /// Cost of each, above 0.
    each: u64,
    /// Decoded bytes of each.
    decoded: u64,
}

impl Work {
    fn of(var: &Variable, prepared: &Prepared) -> Self {
        let plan = &prepared.plans[var.out.0];
        match &var.route {
            Route::Records(Some(band)) => Self {
                pieces: (band.records.end - band.records.start).div_ceil(step(band)),
                each: step_cost(band, prepared),
                decoded: step_bytes(band),
            },
            Route::Records(None) => Self {
                pieces: 0,
                each: 1,
                decoded: 0,
            },
            Route::Ranges(bytes) => Self {
                pieces: (bytes.end - bytes.start).div_ceil(UNIT),
                each: UNIT * MOVED,
                decoded: UNIT,
            },
            Route::Blocks(tiling) | Route::Values(tiling) => {
                let slab = tiling
                    .grid
                    .chunk()
                    .iter()
                    .fold(1u64, |n, along| n.saturating_mul(*along));
                let bytes = slab.saturating_mul(plan.layout.stored_size() as u64);
                Self::of_chunks(var, bytes, byte_cost(var, plan))
            }
            Route::Raw(_) | Route::Refilter(_) => {
                Self::of_chunks(var, decoded_bytes(&plan.layout, 1), byte_cost(var, plan))
            }
        }
    }

    fn of_chunks(var: &Variable, bytes: u64, byte_cost: u64) -> Self {
        Self {
            pieces: var.to_write.len(),
            each: bytes.saturating_mul(byte_cost).saturating_add(CHUNK),
            decoded: bytes,
        }
    }

    fn cost(&self) -> u128 {
        u128::from(self.pieces) * u128::from(self.each)
    }

    /// Number of pieces before a point of the line, which counts from the work's begin. `unit` gives the pieces that must
    /// not be separated from one; if the point is among them, they belong to the side on which their middle is.
    fn pieces(&self, point: u128, unit: impl Fn(u64) -> (u64, u64)) -> u64 {
        let piece = u64::try_from(point / u128::from(self.each.max(1))).unwrap_or(u64::MAX);
        if piece >= self.pieces {
            return self.pieces;
        }
        let (first, end) = unit(piece);
        let middle = (u128::from(first) + u128::from(end)).saturating_mul(u128::from(self.each));
        match point.saturating_mul(2) > middle {
            true => end,
            false => first,
        }
    }
}

/// Cost of a byte of a variable's chunks.
fn byte_cost(var: &Variable, plan: &VariablePlan) -> u64 {
    let passes = matches!(var.route, Route::Raw(_));
    let decodes = var.inputs.iter().any(|input| input.grid.is_some());
    let decoded = if decodes && (!passes || var.skips_fill) {
        DECODED
    } else {
        0
    };
    let encoded = if passes || plan.layout.filters.is_empty() {
        0
    } else {
        ENCODED
    };
    MOVED + decoded + encoded
}

/// Records of a band that stay together: a run, or a single one where the output has no chunks.
fn step(band: &Band) -> u64 {
    match band.passes_on() {
        true => 1,
        false => band.run.max(1),
    }
}

/// Cost of the records of a [`step`].
fn step_cost(band: &Band, prepared: &Prepared) -> u64 {
    let records = step(band);
    let costs = band.members.iter().map(|member| {
        let var = &prepared.variables[member.variable];
        let bytes = member.slab.length.saturating_mul(records);
        let chunks = member.chunks(records).saturating_mul(CHUNK);
        bytes
            .saturating_mul(byte_cost(var, &prepared.plans[var.out.0]))
            .saturating_add(chunks)
    });
    costs.fold(0, u64::saturating_add).max(1)
}

/// Decoded bytes of the records of a [`step`].
fn step_bytes(band: &Band) -> u64 {
    let slabs = band.members.iter().map(|member| member.slab.length);
    slabs.fold(0, u64::saturating_add).saturating_mul(step(band))
}

/// `k` of `of` equal parts of `all`, rounded down.
fn share(all: u128, k: u64, of: u64) -> u128 {
    let (k, of) = (u128::from(k), u128::from(of.max(1)));
    // `all` may be too large to be multiplied.
    all / of * k + all % of * k / of
}

/// Bytes of the slabs of a contiguous output.
fn slab_bytes(
    slabs: &ChunksToWrite,
    grid: &ChunkGrid,
    to: &VariableLayout,
    number: impl Fn(u64) -> u64,
) -> u64 {
    (0..slabs.len())
        .filter_map(|n| slabs.position(n))
        .filter_map(|position| grid.region(number(position)).element_count())
        .fold(0, |sum: u64, n| {
            sum.saturating_add(n.saturating_mul(to.element_size as u64))
        })
}
