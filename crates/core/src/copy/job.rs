//! The work of a copy as one sequence of jobs, made as they are needed.
//!
//! Jobs come in the order of tickets. Small chunks are gathered into jobs of about [`BATCH`] bytes; a block that is worth more
//! than one thread becomes jobs that fill it, then jobs that empty it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::block::SharedBlock;
use super::default_budget;
use super::ledger::Cost;
use super::order::{Block, BlockOrder};
use super::prepare::{Route, Tiling, Variable};
use super::spill::Spill;
use crate::chunk::{Region, byte_count};
use crate::error::Result;
use crate::format::{Reader, VariablePlan};
use crate::model::VariableLayout;

/// About how many bytes one job moves, where chunks are smaller.
const BATCH: u64 = 1 << 20;

/// Blocks up to this size are made by one thread each, if there are enough of them for all threads.
const ALONE: u64 = 64 << 20;

/// About how many bytes of elements are read at once where they are copied as values.
const VALUES: u64 = 8 << 20;

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
        spill: Spilling,
    },
    /// Encode one stripe of a block.
    Empty {
        var: &'e Variable,
        tiling: &'e Tiling,
        block: Arc<SharedBlock>,
        stripe: usize,
    },
    /// Copy the elements of blocks as values.
    Values {
        var: &'e Variable,
        tiling: &'e Tiling,
        blocks: Vec<Block>,
    },
}

/// Parts of the input.
pub(super) enum Pieces {
    /// Chunks by number.
    Chunks(Vec<u64>),
    /// A region to be read by range.
    Range(Region),
}

/// What filling a block has to do with a [`Spill`].
#[derive(Clone)]
pub(super) enum Spilling {
    /// Nothing.
    Not,
    /// It writes what later blocks need.
    Writes(Arc<Spill>),
    /// It reads what the first block's filling wrote.
    Reads(Arc<Spill>),
}

/// What all jobs of a run depend on.
pub(super) struct Terms<'e> {
    /// Where temporary files go.
    pub folder: Option<&'e Path>,
    pub reader: &'e dyn Reader,
    pub plans: &'e [VariablePlan],
    pub threads: usize,
    pub budget: u64,
}

impl Terms<'_> {
    /// About how many bytes one job moves: little of what the budget gives to each thread.
    pub fn batch(&self) -> u64 {
        (self.budget / (8 * self.threads as u64)).clamp(4096, BATCH)
    }
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
            Box::new(
                batches(var.written.len(), chunk, terms.batch()).map(move |chunks| {
                    let kept = chunk.saturating_mul(chunks.end - chunks.start - 1);
                    let working = cost.working.saturating_add(kept);
                    Ok((Job::Refilter { var, chunks }, Cost { working, ..cost }))
                }),
            )
        }
        Route::Ranges => {
            let total = var.bytes;
            // A whole number of elements' numbers, which are 8 bytes at most.
            let each = terms.batch() / 8 * 8;
            Box::new((0..total.div_ceil(each)).map(move |n| {
                let offset = n * each;
                let length = each.min(total - offset);
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
            // Heap data is not known beforehand: the elements themselves stand for it, and for the cuts.
            let chunk = slot_bytes(tiling, to);
            let most = (VALUES.min(terms.budget / (8 * terms.threads as u64)) / chunk.max(1)).max(1);
            let order = BlockOrder::new(tiling.grid.counts(), &tiling.tile, most);
            let largest = order.block_at(0);
            let bytes = (largest.end - largest.first).saturating_mul(chunk);
            Box::new(
                grouped(written_blocks(var, order), bytes, terms.batch()).map(move |blocks| {
                    let working = bytes.saturating_mul(3).saturating_mul(blocks.len() as u64);
                    Ok((Job::Values { var, tiling, blocks }, Cost { working, block: 0 }))
                }),
            )
        }
        Route::Blocks(tiling) => blocks(terms, var, tiling, from, to),
    }
}

/// Splits `count` chunks of `bytes` into batches.
fn batches(count: u64, bytes: u64, batch: u64) -> impl Iterator<Item = Range<u64>> {
    let each = (batch / bytes.max(1)).clamp(1, 4096);
    (0..count.div_ceil(each)).map(move |n| n * each..(n * each + each).min(count))
}

fn raw<'e>(terms: &'e Terms<'e>, var: &'e Variable) -> impl Iterator<Item = Costed<'e>> + Send + 'e {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        let mut bytes = 0u64;
        while bytes < terms.batch() && next - first < 4096 {
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
    let chunk = slot_bytes(tiling, to);
    let decode = match &tiling.input {
        Some(_) => decode_cost(from, chunk_bytes(from)),
        None => terms.batch(),
    };
    let encode = encode_cost(to, chunk);
    let work = decode.max(encode);
    let threads = terms.threads as u64;

    let tile_chunks = tiling.tile.iter().fold(1u64, |n, t| n.saturating_mul(*t));
    let tile_bytes = tile_chunks.saturating_mul(chunk);
    let tiles = var.written.len() / tile_chunks.max(1);
    let alone = tile_bytes.saturating_add(work).saturating_mul(threads) <= terms.budget
        && (tile_bytes <= terms.batch() || tile_bytes <= ALONE && tiles >= 2 * threads);
    if alone {
        let order = BlockOrder::new(grid.counts(), &tiling.tile, tile_chunks);
        return Box::new(
            grouped(written_blocks(var, order), tile_bytes, terms.batch()).map(move |blocks| {
                let kept = if to.filters.is_empty() {
                    0
                } else {
                    tile_bytes.saturating_mul(blocks.len() as u64 - 1)
                };
                let working = tile_bytes.saturating_add(work).saturating_add(kept);
                Ok((Job::Blocks { var, tiling, blocks }, Cost { working, block: 0 }))
            }),
        );
    }

    // What the threads need besides the block; where that leaves little, fewer of them run at a time.
    let aside = work
        .saturating_mul(threads)
        .saturating_add(encode)
        .min(terms.budget / 2);
    let most = (terms.budget - aside) / chunk.max(1);
    let order = BlockOrder::new(grid.counts(), &tiling.tile, most.max(1));
    let mut maker = BlockMaker {
        terms,
        var,
        tiling,
        from,
        order,
        chunk,
        decode,
        encode,
        spill: None,
    };
    Box::new(
        written_blocks(var, maker.order.clone()).flat_map(move |block| -> Jobs<'e> {
            match maker.jobs(block) {
                Ok(jobs) => jobs,
                Err(e) => Box::new(std::iter::once(Err(e.in_variable(&var.name)))),
            }
        }),
    )
}

/// Bytes of an output chunk, or of a slab.
fn slot_bytes(tiling: &Tiling, to: &VariableLayout) -> u64 {
    byte_count(tiling.grid.chunk(), to.element_size).unwrap_or(usize::MAX) as u64
}

/// Small blocks of `bytes` gathered for jobs.
fn grouped<'e>(
    mut blocks: impl Iterator<Item = Block> + Send + 'e,
    bytes: u64,
    batch: u64,
) -> impl Iterator<Item = Vec<Block>> + Send + 'e {
    let each = (batch / bytes.max(1)).clamp(1, 4096) as usize;
    std::iter::from_fn(move || {
        let group: Vec<Block> = blocks.by_ref().take(each).collect();
        (!group.is_empty()).then_some(group)
    })
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

/// Makes the jobs of blocks that all threads work on.
struct BlockMaker<'e> {
    terms: &'e Terms<'e>,
    var: &'e Variable,
    tiling: &'e Tiling,
    from: &'e VariableLayout,
    order: BlockOrder,
    /// Bytes of an output chunk.
    chunk: u64,
    decode: u64,
    encode: u64,
    /// What the first block of the present tile wrote down, and where the tile ends.
    spill: Option<(Arc<Spill>, u64)>,
}

impl<'e> BlockMaker<'e> {
    fn jobs(&mut self, block: Block) -> Result<Jobs<'e>> {
        let (var, tiling, from, encode) = (self.var, self.tiling, self.from, self.encode);
        let memory = (block.end - block.first).saturating_mul(self.chunk);
        let region = self.region(&block.span);
        self.spill.take_if(|(_, end)| block.first >= *end);
        let shared = Arc::new(SharedBlock::new(block, self.chunk, memory)?);
        let mut decode = self.decode;
        let mut pieces = region.as_ref().map_or_else(Vec::new, |region| {
            pieces(tiling, from, region, self.terms.batch())
        });
        let spilling = match &self.spill {
            Some((spill, _)) => {
                // A part of every chunk: more of them make a job.
                if let Some(region) = &region {
                    let input = chunk_bytes(from) / from.element_size.max(1) as u64;
                    let most = largest_part(tiling, region, input).max(1);
                    pieces = self::pieces(
                        tiling,
                        from,
                        region,
                        self.terms.batch().saturating_mul(input / most),
                    );
                }
                Spilling::Reads(Arc::clone(spill))
            }
            None => match region
                .as_ref()
                .and_then(|region| self.begin_spill(&shared, region))
            {
                Some((spill, all, end)) => {
                    pieces = all;
                    decode = decode.saturating_add(chunk_bytes(from));
                    self.spill = Some((Arc::clone(&spill), end));
                    Spilling::Writes(spill)
                }
                None => Spilling::Not,
            },
        };
        shared.expect(pieces.len() as u64);
        let filling = Arc::clone(&shared);
        let filled = !pieces.is_empty();
        let fill = pieces.into_iter().enumerate().map(move |(n, pieces)| {
            let block = Arc::clone(&filling);
            let spill = spilling.clone();
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
                    spill,
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

    /// The elements of the input under a box of output chunks.
    fn region(&self, span: &Region) -> Option<Region> {
        let grid = &self.tiling.grid;
        elements(span, grid.chunk(), grid.extent()).clip(&self.from.extent)
    }

    /// Where the blocks after this one would decode the same chunks again and writing down what they need is cheaper: a
    /// file for that, the input pieces of the whole tile, and where in the order the tile ends.
    fn begin_spill(
        &self,
        first: &Arc<SharedBlock>,
        region: &Region,
    ) -> Option<(Arc<Spill>, Vec<Pieces>, u64)> {
        let input = self.tiling.input.as_ref()?;
        let tile = self.order.tile_at(first.block.first);
        let mut blocks = Vec::new();
        let mut next = first.block.end;
        while next < tile.end {
            let Some(place) = self
                .var
                .written
                .place(self.var.written.before(next))
                .filter(|p| *p < tile.end)
            else {
                break;
            };
            let block = self.order.block_at(place);
            blocks.extend(self.region(&block.span));
            next = block.end;
        }
        if blocks.is_empty() || self.from.filters.is_empty() {
            return None;
        }
        let whole = self.region(&tile.span)?;
        let chunks = |region: &Region| input.span(region)?.element_count();
        let decodes = blocks
            .iter()
            .filter_map(chunks)
            .fold(chunks(region)?, u64::saturating_add);
        let again = decodes / chunks(&whole)?.max(1);
        let size = whole
            .element_count()?
            .checked_mul(self.from.element_size as u64)?;
        // A file that the system's cache can hold costs little. A larger one costs a disk's time, which decoding on all
        // threads must exceed.
        let worth = if size <= default_budget() {
            2
        } else {
            2 + 2 * self.terms.threads as u64
        };
        if again < worth {
            return None;
        }
        let size = self.from.element_size;
        let spill = Spill::create(self.terms.folder, &whole, blocks, size, Arc::clone(first))?;
        Some((
            Arc::new(spill),
            pieces(self.tiling, self.from, &whole, self.terms.batch()),
            tile.end,
        ))
    }
}

/// The most elements of `region` that one input chunk of `elements` elements can hold.
fn largest_part(tiling: &Tiling, region: &Region, elements: u64) -> u64 {
    tiling.input.as_ref().map_or(elements, |input| {
        let part = input.chunk().iter().zip(&region.count).map(|(c, n)| (*c).min(*n));
        part.fold(1, u64::saturating_mul)
    })
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

/// The input pieces that a region needs, in jobs of about `batch` bytes of chunks or ranges.
pub(super) fn pieces(tiling: &Tiling, from: &VariableLayout, region: &Region, batch: u64) -> Vec<Pieces> {
    match &tiling.input {
        Some(input) => {
            let each = (batch / chunk_bytes(from).max(1)).clamp(1, 4096) as usize;
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
