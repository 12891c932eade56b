//! The work of a copy as one sequence of jobs, each made when a thread asks for it.
//!
//! Jobs come in the order of tickets. Small chunks are grouped into jobs of about [`BATCH`] bytes. A large
//! block becomes several jobs that fill it, followed by jobs that empty it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::block::SharedBlock;
use super::block_jobs::{blocks, grouped, shared_block_memory, slot_bytes, written_blocks};
use super::execute::PIECE;
use super::ledger::Cost;
use super::order::Block;
use super::prepare::Variable;
use super::records::{self, Part};
use super::route::Route;
use super::same_chunks::Same;
use super::sources::Input;
use super::spill::Spill;
use super::tiling::Tiling;
use crate::chunk::{Region, byte_count};
use crate::error::Result;
use crate::filter::pipeline::ALL_SKIPPED;
use crate::format::{Reader, VariablePlan};
use crate::model::VariableLayout;

/// Upper limit, in bytes, of how much one job moves, unless a single chunk is larger.
pub(super) const BATCH: u64 = 1 << 20;

/// Upper limit, in bytes, of how much one job passes on unchanged from a store with slow requests. Its chunks are
/// neighbours in most files, which then come by one request.
const SLOW_BATCH: u64 = 6 << 20;

/// Upper limit, in bytes, of a block of elements that are copied as values.
const VALUES: u64 = 8 << 20;

/// A piece of work for one thread.
pub(super) enum Job<'e> {
    /// Pass encoded chunks through. `chunks` numbers them among the variable's chunks to be written.
    Raw { var: &'e Variable, chunks: Range<u64> },
    /// Decode and encode chunks of the same shape. `chunks` numbers them among the variable's chunks to be
    /// written.
    Refilter { var: &'e Variable, chunks: Range<u64> },
    /// Copy a range of bytes of a contiguous variable.
    Bytes {
        var: &'e Variable,
        offset: u64,
        length: u64,
    },
    /// Make whole blocks in one thread.
    Blocks {
        var: &'e Variable,
        tiling: &'e Tiling,
        blocks: Vec<Block>,
    },
    /// Scatter input pieces into a block.
    Fill {
        var: &'e Variable,
        tiling: &'e Tiling,
        block: Arc<SharedBlock>,
        pieces: Vec<PieceOfInput>,
        spill: Spilling,
    },
    /// Encode and write one stripe of a block.
    Empty {
        var: &'e Variable,
        tiling: &'e Tiling,
        block: Arc<SharedBlock>,
        stripe: usize,
    },
    /// Copy the elements of blocks as [`Values`](crate::model::Values).
    Values {
        var: &'e Variable,
        tiling: &'e Tiling,
        blocks: Vec<Block>,
    },
    /// Copy records of several variables at once.
    Records(Part<'e>),
}

impl Job<'_> {
    /// True if the job's [`Cost`] counts the whole encoded input already, because the job passes it on
    /// or rearranges it.
    pub fn cost_counts_input(&self) -> bool {
        match self {
            Self::Raw { .. } | Self::Bytes { .. } => true,
            Self::Records(part) => part.cost_counts_input(),
            _ => false,
        }
    }
}

/// A piece of one of a variable's inputs.
pub(super) enum PieceOfInput {
    /// Chunks of the input, by number.
    Chunks {
        /// The position of the input in [`Variable::inputs`].
        input: usize,
        chunks: Vec<u64>,
    },
    /// A region of the output, whose input elements are read by range.
    Range {
        /// The position of the input in [`Variable::inputs`].
        input: usize,
        region: Region,
    },
}

/// How the filling of a block uses a [`Spill`].
#[derive(Clone)]
pub(super) enum Spilling {
    /// It does not use one.
    Not,
    /// It writes the parts that later blocks need.
    Writes(Arc<Spill>),
    /// It reads the parts that filling the first block wrote.
    Reads(Arc<Spill>),
}

/// Conditions that all jobs of a run share.
pub(super) struct Terms<'e> {
    /// Folder for temporary files.
    pub folder: Option<&'e Path>,
    pub reader: &'e dyn Reader,
    pub plans: &'e [VariablePlan],
    pub threads: usize,
    pub budget: u64,
}

impl Terms<'_> {
    /// About how many bytes one job moves: at most an eighth of a thread's share of the budget, and at most
    /// [`BATCH`].
    pub fn batch(&self) -> u64 {
        self.share().clamp(4096, BATCH)
    }

    /// About how many bytes one job moves that passes them on without decoding: more than [`batch`](Self::batch) where each
    /// request takes long.
    pub fn passed_on(&self) -> u64 {
        match self.reader.requests().ahead {
            true => self.share().clamp(4096, SLOW_BATCH),
            false => self.batch(),
        }
    }

    /// An eighth of a thread's share of the budget, in bytes.
    fn share(&self) -> u64 {
        self.budget / (8 * self.threads as u64)
    }
}

/// A job and the memory it needs.
pub(super) type Costed<'e> = Result<(Job<'e>, Cost)>;
/// Jobs in the order of tickets.
pub(super) type Jobs<'e> = Box<dyn Iterator<Item = Costed<'e>> + Send + 'e>;

/// All jobs of a run, in order.
pub(super) fn jobs<'e>(terms: &'e Terms<'e>, variables: &'e [Variable]) -> Jobs<'e> {
    Box::new(
        variables
            .iter()
            .flat_map(move |var| of_variable(terms, variables, var)),
    )
}

fn of_variable<'e>(terms: &'e Terms<'e>, variables: &'e [Variable], var: &'e Variable) -> Jobs<'e> {
    let to = &terms.plans[var.out.0].layout;
    match &var.route {
        Route::Raw(same) => Box::new(raw(terms, var, same)),
        Route::Refilter(_) => {
            let chunk = chunk_bytes(to);
            let cost = Cost {
                working: decode_cost_of(terms, var) + encode_cost(to, chunk),
                block: 0,
            };
            Box::new(
                batches(var.places.len(), chunk, terms.batch()).map(move |chunks| {
                    let kept = chunk.saturating_mul(chunks.end - chunks.start - 1);
                    let working = cost.working.saturating_add(kept);
                    Ok((Job::Refilter { var, chunks }, Cost { working, ..cost }))
                }),
            )
        }
        Route::Ranges(range) => {
            let (begin, total) = (range.start, range.end - range.start);
            // A whole number of elements' numbers, which are 8 bytes at most.
            let each = terms.passed_on() / 8 * 8;
            Box::new((0..total.div_ceil(each)).map(move |n| {
                let offset = begin + n * each;
                let length = each.min(range.end - offset);
                Ok((
                    Job::Bytes { var, offset, length },
                    Cost {
                        working: length,
                        block: 0,
                    },
                ))
            }))
        }
        Route::Values(tiling) => {
            // The size of heap data is unknown until it is read. The cost counts the elements three times:
            // for themselves, their heap data, and the chunks cut from them. Strings that are padded to a fixed number
            // of bytes take more in the output than in memory.
            let padded = to.string_length.map_or(0, |_| chunk_bytes(to));
            let chunk = slot_bytes(tiling, to).max(padded).saturating_add(PIECE);
            let most = (VALUES.min(terms.budget / (8 * terms.threads as u64)) / chunk).max(1);
            // A chunk of padded strings is decoded as a whole, though it takes more than its elements in memory.
            let is_padded = |input: &Input| terms.reader.layout(input.var).string_length.is_some();
            let decoded = match var.inputs.iter().any(is_padded) {
                true => decode_cost_of(terms, var),
                false => 0,
            };
            let order = tiling.order(most);
            let largest = order.block_at(0);
            let bytes = (largest.end - largest.first).saturating_mul(chunk);
            Box::new(
                grouped(written_blocks(var, order), bytes, terms.batch()).map(move |blocks| {
                    let working = bytes.saturating_mul(3).saturating_mul(blocks.len() as u64);
                    let working = working.saturating_add(decoded);
                    Ok((Job::Values { var, tiling, blocks }, Cost { working, block: 0 }))
                }),
            )
        }
        Route::Blocks(tiling) => blocks(terms, var, tiling, to),
        Route::Records(Some(band)) => records::jobs(terms, variables, band),
        Route::Records(None) => Box::new(std::iter::empty()),
    }
}

/// About how many bytes of memory the jobs of a variable take that run at the same time.
pub(super) fn memory(terms: &Terms, variables: &[Variable], var: &Variable) -> u64 {
    let to = &terms.plans[var.out.0].layout;
    if let Route::Blocks(tiling) = &var.route
        && let Some(memory) = shared_block_memory(terms, var, tiling, to)
    {
        return memory;
    }
    let jobs = of_variable(terms, variables, var).take(terms.threads);
    together(jobs.filter_map(|job| Some(job.ok()?.1)), terms.budget)
}

/// Bytes of memory that jobs with these `costs` take together: at most the budget, unless a single job needs
/// more.
fn together(costs: impl Iterator<Item = Cost>, budget: u64) -> u64 {
    let (mut all, mut largest) = (0u64, 0);
    for cost in costs {
        let one = cost.working.saturating_add(cost.block);
        all = all.saturating_add(one);
        largest = largest.max(one);
    }
    all.min(budget).max(largest)
}

/// Splits `count` chunks of `bytes` bytes each into jobs of about `batch` bytes.
fn batches(count: u64, bytes: u64, batch: u64) -> impl Iterator<Item = Range<u64>> {
    let each = (batch / bytes.max(1)).clamp(1, 4096);
    (0..count.div_ceil(each)).map(move |n| n * each..(n * each + each).min(count))
}

fn raw<'e>(
    terms: &'e Terms<'e>,
    var: &'e Variable,
    same: &'e Same,
) -> impl Iterator<Item = Costed<'e>> + Send + 'e {
    let to = &terms.plans[var.out.0].layout;
    let whole = chunk_bytes(to);
    // A chunk that a selection or the input's extent cuts is decoded and encoded again, and one that skipped codecs where
    // the output has no filter masks or other codecs at the end.
    let is_cut = |input: &Input| {
        input.selection.is_some() || input.grid.as_ref().is_some_and(|grid| grid.extent() != to.extent)
    };
    let loses_masks =
        !terms.plans[var.out.0].pipeline.allows(ALL_SKIPPED) && terms.reader.schema().kind.can().filter_masks;
    let changes = !same.ends.is_empty();
    let is_virtual = var.inputs.iter().any(|input| terms.reader.is_virtual(input.var));
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
            let Some(place) = var.places.place(next) else {
                break;
            };
            let source = same.source(&var.inputs, same.chunk(&order, place));
            let size =
                source.and_then(|(input, chunk)| terms.reader.stored_size(var.inputs[input].var, chunk));
            bytes = bytes.saturating_add(size.unwrap_or(whole));
            next += 1;
        }
        let chunks = first..next;
        (first < next).then_some(Ok((
            Job::Raw { var, chunks },
            Cost {
                working: bytes.saturating_add(cut),
                block: 0,
            },
        )))
    })
}

/// Bytes of memory to decode a chunk of any of a variable's inputs. An input without chunks needs one batch.
pub(super) fn decode_cost_of(terms: &Terms, var: &Variable) -> u64 {
    let costs = var.inputs.iter().map(|input| match &input.grid {
        Some(_) => {
            let from = terms.reader.layout(input.var);
            decode_cost(from, chunk_bytes(from))
        }
        None => terms.batch(),
    });
    costs.max().unwrap_or(0)
}

/// Bytes of a decoded chunk, as the format stores it: strings may take a fixed number of bytes each.
pub(super) fn chunk_bytes(layout: &VariableLayout) -> u64 {
    byte_count(layout.chunk_shape(), layout.stored_size()).unwrap_or(usize::MAX) as u64
}

/// Bytes of memory to read and decode a chunk of `bytes` bytes: as stored, decoded, and between filters.
pub(super) fn decode_cost(layout: &VariableLayout, bytes: u64) -> u64 {
    bytes.saturating_mul(1 + layout.filters.len().min(3) as u64)
}

/// Bytes of memory to encode a chunk of `bytes` bytes, without the chunk itself: between filters, and as
/// stored.
pub(super) fn encode_cost(layout: &VariableLayout, bytes: u64) -> u64 {
    bytes.saturating_mul(match layout.filters.len() {
        0 => 0,
        n => 1 + n.min(2) as u64,
    })
}
