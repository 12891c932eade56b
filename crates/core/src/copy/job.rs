//! The work of a copy as one sequence of jobs, made as they are needed.
//!
//! Jobs come in the order of tickets. Small chunks are gathered into jobs of about [`BATCH`] bytes; a block that is worth more
//! than one thread becomes jobs that fill it, then jobs that empty it.

use std::ops::Range;
use std::sync::Arc;

use super::block::SharedBlock;
use super::ledger::Cost;
use super::order::{Block, BlockOrder};
use super::prepare::{Route, Tiling, Variable};
use crate::chunk::{Region, byte_count};
use crate::error::Result;
use crate::format::{Reader, VariablePlan};
use crate::model::VariableLayout;

/// About how many bytes one job moves, where chunks are smaller.
pub(super) const BATCH: u64 = 1 << 20;

/// Blocks up to this size are made by one thread each, if there are enough of them for all threads.
const ALONE: u64 = 64 << 20;

/// A piece of work for one thread.
pub(super) enum Job<'e> {
    /// Pass the `n`th written chunks through.
    Raw { var: &'e Variable, chunks: Range<u64> },
    /// Decode and encode the `n`th written chunks.
    Refilter { var: &'e Variable, chunks: Range<u64> },
    /// Copy bytes of a contiguous variable.
    Bytes {
        var: &'e Variable,
        offset: u64,
        length: u64,
    },
    /// Make whole blocks.
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
        pieces: Pieces,
    },
    /// Encode one stripe of a block.
    Empty {
        var: &'e Variable,
        tiling: &'e Tiling,
        block: Arc<SharedBlock>,
        stripe: usize,
    },
    /// Copy elements of the `n`th written chunks as values.
    Values {
        var: &'e Variable,
        tiling: &'e Tiling,
        chunks: Range<u64>,
    },
}

/// Parts of the input.
pub(super) enum Pieces {
    /// Chunks by number.
    Chunks(Vec<u64>),
    /// A region to be read by range.
    Range(Region),
}

/// What all jobs of a run depend on.
pub(super) struct Terms<'e> {
    pub reader: &'e dyn Reader,
    pub plans: &'e [VariablePlan],
    pub threads: usize,
    pub budget: u64,
}

/// A job and what it costs.
pub(super) type Costed<'e> = Result<(Job<'e>, Cost)>;
type Jobs<'e> = Box<dyn Iterator<Item = Costed<'e>> + Send + 'e>;

/// All jobs of a run, in order.
pub(super) fn jobs<'e>(terms: &'e Terms<'e>, variables: &'e [Variable]) -> Jobs<'e> {
    Box::new(variables.iter().flat_map(move |var| of_variable(terms, var)))
}

fn of_variable<'e>(terms: &'e Terms<'e>, var: &'e Variable) -> Jobs<'e> {
    let from = terms.reader.layout(var.source);
    let to = &terms.plans[var.out.0].layout;
    match &var.route {
        Route::Raw => Box::new(raw(terms, var)),
        Route::Refilter => {
            let chunk = chunk_bytes(to);
            let cost = Cost {
                working: decode_cost(from, chunk) + encode_cost(to, chunk),
                block: 0,
            };
            Box::new(batches(var.written.len(), chunk).map(move |chunks| {
                let kept = chunk.saturating_mul(chunks.end - chunks.start - 1);
                let working = cost.working.saturating_add(kept);
                Ok((Job::Refilter { var, chunks }, Cost { working, ..cost }))
            }))
        }
        Route::Ranges => {
            let total = var.bytes;
            let cost = Cost {
                working: BATCH,
                block: 0,
            };
            Box::new((0..total.div_ceil(BATCH)).map(move |n| {
                let offset = n * BATCH;
                let length = BATCH.min(total - offset);
                Ok((Job::Bytes { var, offset, length }, cost))
            }))
        }
        Route::Values(tiling) => {
            let chunk = byte_count(tiling.grid.chunk(), to.element_size).unwrap_or(usize::MAX) as u64;
            // Heap data is not known beforehand: the elements themselves stand for it.
            let each = chunk.saturating_mul(3);
            Box::new(batches(var.written.len(), chunk).map(move |chunks| {
                let working = each.saturating_mul(chunks.end - chunks.start);
                Ok((Job::Values { var, tiling, chunks }, Cost { working, block: 0 }))
            }))
        }
        Route::Blocks(tiling) => blocks(terms, var, tiling, from, to),
    }
}

/// Splits `count` chunks of `bytes` into batches.
fn batches(count: u64, bytes: u64) -> impl Iterator<Item = Range<u64>> {
    let each = (BATCH / bytes.max(1)).clamp(1, 4096);
    (0..count.div_ceil(each)).map(move |n| n * each..(n * each + each).min(count))
}

fn raw<'e>(terms: &'e Terms<'e>, var: &'e Variable) -> impl Iterator<Item = Costed<'e>> + Send + 'e {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        let mut bytes = 0u64;
        while bytes < BATCH && next - first < 4096 {
            let Some(chunk) = var.written.place(next) else {
                break;
            };
            match terms.reader.stored_size(var.source, chunk) {
                Ok(size) => bytes = bytes.saturating_add(size.unwrap_or(0)),
                Err(e) => return Some(Err(e.in_variable(&var.name))),
            }
            next += 1;
        }
        let chunks = first..next;
        (first < next).then_some(Ok((
            Job::Raw { var, chunks },
            Cost {
                working: bytes,
                block: 0,
            },
        )))
    })
}

/// Bytes of a decoded chunk.
fn chunk_bytes(layout: &VariableLayout) -> u64 {
    byte_count(layout.chunk_shape(), layout.element_size).unwrap_or(usize::MAX) as u64
}

/// Memory to read and decode a chunk of `bytes`: as stored, decoded, and between filters.
fn decode_cost(layout: &VariableLayout, bytes: u64) -> u64 {
    bytes.saturating_mul(1 + layout.filters.len().min(3) as u64)
}

/// Memory to encode a chunk of `bytes` besides the chunk: between filters, and as it will be stored.
fn encode_cost(layout: &VariableLayout, bytes: u64) -> u64 {
    bytes.saturating_mul(match layout.filters.len() {
        0 => 0,
        n => 1 + n.min(2) as u64,
    })
}

fn blocks<'e>(
    terms: &'e Terms<'e>,
    var: &'e Variable,
    tiling: &'e Tiling,
    from: &'e VariableLayout,
    to: &'e VariableLayout,
) -> Jobs<'e> {
    let grid = &tiling.grid;
    let chunk = byte_count(grid.chunk(), to.element_size).unwrap_or(usize::MAX) as u64;
    let decode = match &tiling.input {
        Some(_) => decode_cost(from, chunk_bytes(from)),
        None => BATCH.max(chunk_bytes(to).min(2 * BATCH)),
    };
    let encode = encode_cost(to, chunk);
    let work = decode.max(encode);
    let threads = terms.threads as u64;

    let tile_chunks = tiling.tile.iter().fold(1u64, |n, t| n.saturating_mul(*t));
    let tile_bytes = tile_chunks.saturating_mul(chunk);
    let tiles = var.written.len() / tile_chunks.max(1);
    let alone = tile_bytes.saturating_add(work).saturating_mul(threads) <= terms.budget
        && (tile_bytes <= BATCH || tile_bytes <= ALONE && tiles >= 2 * threads);
    if alone {
        let order = BlockOrder::new(grid.counts(), &tiling.tile, tile_chunks);
        let mut blocks = written_blocks(var, order);
        let mut pending: Vec<Block> = Vec::new();
        let each = (BATCH / tile_bytes.max(1)).clamp(1, 4096) as usize;
        return Box::new(std::iter::from_fn(move || {
            while pending.len() < each
                && let Some(block) = blocks.next()
            {
                pending.push(block);
            }
            if pending.is_empty() {
                return None;
            }
            let blocks = std::mem::take(&mut pending);
            let kept = if to.filters.is_empty() {
                0
            } else {
                tile_bytes.saturating_mul(blocks.len() as u64 - 1)
            };
            let working = tile_bytes.saturating_add(work).saturating_add(kept);
            Some(Ok((
                Job::Blocks { var, tiling, blocks },
                Cost { working, block: 0 },
            )))
        }));
    }

    // What the threads need besides the block; where that leaves little, fewer of them run at a time.
    let aside = work
        .saturating_mul(threads)
        .saturating_add(encode)
        .min(terms.budget / 2);
    let most = (terms.budget - aside) / chunk.max(1);
    let order = BlockOrder::new(grid.counts(), &tiling.tile, most.max(1));
    Box::new(written_blocks(var, order).flat_map(move |block| -> Jobs<'e> {
        match shared(var, tiling, from, block, chunk, decode, encode) {
            Ok(jobs) => jobs,
            Err(e) => Box::new(std::iter::once(Err(e.in_variable(&var.name)))),
        }
    }))
}

/// The blocks that hold a chunk to be written.
fn written_blocks<'e>(var: &'e Variable, order: BlockOrder) -> impl Iterator<Item = Block> + Send + 'e {
    let mut next = 0;
    std::iter::from_fn(move || {
        let place = var.written.place(next)?;
        let block = order.block_at(place);
        next = var.written.before(block.end);
        Some(block)
    })
}

/// The jobs of a block that all threads work on.
fn shared<'e>(
    var: &'e Variable,
    tiling: &'e Tiling,
    from: &'e VariableLayout,
    block: Block,
    chunk: u64,
    decode: u64,
    encode: u64,
) -> Result<Jobs<'e>> {
    let memory = (block.end - block.first).saturating_mul(chunk);
    let region = elements(&block.span, tiling.grid.chunk(), tiling.grid.extent()).clip(&from.extent);
    let pieces = region.map_or_else(Vec::new, |region| pieces(tiling, from, &region));
    let shared = Arc::new(SharedBlock::new(block, chunk, pieces.len() as u64, memory)?);
    let filling = Arc::clone(&shared);
    let filled = !pieces.is_empty();
    let fill = pieces.into_iter().enumerate().map(move |(n, pieces)| {
        let block = Arc::clone(&filling);
        let cost = Cost {
            working: decode,
            block: if n == 0 { memory } else { 0 },
        };
        Ok((
            Job::Fill {
                var,
                tiling,
                block,
                pieces,
            },
            cost,
        ))
    });
    let empty = (0..shared.stripe_count()).map(move |stripe| {
        let block = Arc::clone(&shared);
        let cost = Cost {
            working: encode,
            block: if stripe == 0 && !filled { memory } else { 0 },
        };
        Ok((
            Job::Empty {
                var,
                tiling,
                block,
                stripe,
            },
            cost,
        ))
    });
    Ok(Box::new(fill.chain(empty)))
}

/// The elements that a box of chunks covers, within `extent`.
pub(super) fn elements(span: &Region, chunk: &[u64], extent: &[u64]) -> Region {
    let start: Vec<u64> = span
        .start
        .iter()
        .zip(chunk)
        .map(|(s, c)| s.saturating_mul(*c))
        .collect();
    let count = span
        .count
        .iter()
        .zip(chunk)
        .zip(extent)
        .zip(&start)
        .map(|(((n, c), e), s)| n.saturating_mul(*c).min(e.saturating_sub(*s)))
        .collect();
    Region { start, count }
}

/// The input pieces that a region needs, in jobs of about [`BATCH`] bytes.
pub(super) fn pieces(tiling: &Tiling, from: &VariableLayout, region: &Region) -> Vec<Pieces> {
    match &tiling.input {
        Some(input) => {
            let each = (BATCH / chunk_bytes(from).max(1)).clamp(1, 4096) as usize;
            let mut jobs = Vec::new();
            let mut chunks = Vec::new();
            for chunk in input.chunks_in(region) {
                chunks.push(chunk);
                if chunks.len() == each {
                    jobs.push(Pieces::Chunks(std::mem::take(&mut chunks)));
                }
            }
            if !chunks.is_empty() {
                jobs.push(Pieces::Chunks(chunks));
            }
            jobs
        }
        None => {
            let whole = region.element_count().unwrap_or(0);
            let order = BlockOrder::new(
                &region.count,
                &region.count,
                BATCH / from.element_size.max(1) as u64,
            );
            let mut jobs = Vec::new();
            let mut place = 0;
            while place < whole {
                let piece = order.block_at(place);
                place = piece.end;
                let start = piece
                    .span
                    .start
                    .iter()
                    .zip(&region.start)
                    .map(|(a, b)| a + b)
                    .collect();
                let count = piece.span.count;
                jobs.push(Pieces::Range(Region { start, count }));
            }
            jobs
        }
    }
}
