//! The jobs of a variable whose output chunks have another shape than its input chunks.
//!
//! ```text
//! blocks of output chunks, in sequence order
//!   ├─ small, and enough for all threads ── one job makes several
//!   └─ others ── jobs that fill one from input pieces ─► jobs that empty it, a stripe each
//!                    └─ the first block of a tile may write down what later ones need: a Spill
//! ```

use std::sync::Arc;

use super::job::{Job, Jobs, Spilling};
use super::job_memory::{PIECE, chunk_bytes, decode_cost_of, encode_cost, slot_bytes};
use super::pieces::{PieceOfInput, grouped, pieces, written_blocks};
use super::shared_block::{SharedBlock, stripe_chunks};
use super::spill::Spill;
use super::terms::Terms;
use crate::chunk::Region;
use crate::copy::geometry::{Block, BlockOrder, InputMapping, Tiling, elements};
use crate::copy::memory::{JobMemory, default_budget};
use crate::copy::task::Variable;
use crate::error::Result;
use crate::model::VariableLayout;

/// Largest block, in bytes, that one thread makes alone if there are enough blocks for all threads.
const ALONE: u64 = 64 << 20;

/// The jobs of a variable whose chunks change shape.
pub fn blocks<'e>(
    terms: &'e Terms<'e>,
    var: &'e Variable,
    tiling: &'e Tiling,
    to: &'e VariableLayout,
) -> Jobs<'e> {
    let Needs {
        chunk,
        decode,
        empty,
        work,
        tile_chunks,
        tile_bytes,
        ..
    } = Needs::of(terms, var, tiling, to);
    if alone(terms, var, tiling, tile_chunks, tile_bytes, work) {
        let order = tiling.order(tile_chunks);
        let pieces = tile_chunks.saturating_mul(PIECE);
        let weight = tile_bytes.saturating_add(pieces);
        return Box::new(
            grouped(written_blocks(var, order), weight, terms.batch()).map(move |blocks| {
                let kept = if to.filters.is_empty() {
                    0
                } else {
                    tile_bytes.saturating_mul(blocks.len() as u64 - 1)
                };
                let working = tile_bytes.saturating_add(work).saturating_add(kept);
                Ok((
                    Job::Blocks { var, tiling, blocks },
                    JobMemory { working, block: 0 },
                ))
            }),
        );
    }

    let most = (terms.budget - aside(terms, decode.max(empty), empty)) / chunk.max(1);
    let order = tiling.order(most.max(1));
    let mut maker = BlockMaker {
        terms,
        var,
        tiling,
        order,
        chunk,
        decode,
        empty,
        overlaps: var.inputs.overlap(),
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

/// Sizes that decide how a variable is cut into chunks of another shape. In bytes, unless noted.
struct Needs {
    /// Bytes of one output chunk.
    chunk: u64,
    decode: u64,
    /// Bytes to encode the chunks of a stripe and hand them to the writer.
    empty: u64,
    /// The larger of `decode` and `encode`, because a thread does one at a time.
    work: u64,
    /// Number of output chunks in a tile.
    tile_chunks: u64,
    tile_bytes: u64,
}

impl Needs {
    fn of(terms: &Terms, var: &Variable, tiling: &Tiling, to: &VariableLayout) -> Self {
        let chunk = slot_bytes(tiling, to);
        let decode = decode_cost_of(terms, var);
        let encode = encode_cost(to, chunk);
        let tile_chunks = tiling.tile.iter().fold(1u64, |n, t| n.saturating_mul(*t));
        // The cost of encoding counts one encoded chunk, if there are filters.
        let pieces = stripe_chunks(chunk, terms.batch());
        let more = pieces - u64::from(!to.filters.is_empty());
        let kept = chunk
            .saturating_mul(more)
            .saturating_add(pieces.saturating_mul(PIECE));
        Self {
            chunk,
            decode,
            empty: encode.saturating_add(kept),
            work: decode.max(encode),
            tile_chunks,
            tile_bytes: tile_chunks.saturating_mul(chunk),
        }
    }
}

/// True if each tile is made by one thread alone. Where input chunks meet several shards, a spill saves decoding.
fn alone(
    terms: &Terms,
    var: &Variable,
    tiling: &Tiling,
    tile_chunks: u64,
    tile_bytes: u64,
    work: u64,
) -> bool {
    if tiling.has_groups() {
        return false;
    }
    let threads = terms.threads as u64;
    let tiles = var.to_write.len() / tile_chunks.max(1);
    tile_bytes.saturating_add(work).saturating_mul(threads) <= terms.budget
        && (tile_bytes <= terms.batch() || tile_bytes <= ALONE && tiles >= 2 * threads)
}

/// Memory in bytes for decoding, or for emptying stripes, besides the block: at most half the budget. If all threads
/// need more, fewer run at a time. `work` is the larger of the two.
fn aside(terms: &Terms, work: u64, empty: u64) -> u64 {
    work.saturating_mul(terms.threads as u64)
        .saturating_add(empty)
        .min(terms.budget / 2)
}

/// About how many bytes of memory it takes to make a block that all threads work on. `None` if one thread
/// makes each block.
pub fn shared_block_memory(
    terms: &Terms,
    var: &Variable,
    tiling: &Tiling,
    to: &VariableLayout,
) -> Option<u64> {
    let needs = Needs::of(terms, var, tiling, to);
    if alone(
        terms,
        var,
        tiling,
        needs.tile_chunks,
        needs.tile_bytes,
        needs.work,
    ) {
        return None;
    }
    let aside = aside(terms, needs.decode.max(needs.empty), needs.empty);
    let whole = var.to_write.len().saturating_mul(needs.chunk);
    let block = needs.tile_bytes.min(whole).min(terms.budget - aside);
    Some(block.max(needs.chunk).saturating_add(aside))
}

/// Makes the jobs of blocks that several threads fill and empty.
struct BlockMaker<'e> {
    terms: &'e Terms<'e>,
    var: &'e Variable,
    tiling: &'e Tiling,
    order: BlockOrder,
    /// Bytes of one output chunk.
    chunk: u64,
    decode: u64,
    /// Bytes to empty a stripe.
    empty: u64,
    /// True if two inputs fill the same elements.
    overlaps: bool,
    /// The spill that the first block of the present tile writes, and the position in the order where the tile
    /// ends.
    spill: Option<(Arc<Spill>, u64)>,
}

impl<'e> BlockMaker<'e> {
    fn jobs(&mut self, block: Block) -> Result<Jobs<'e>> {
        let (terms, var, tiling, working) = (self.terms, self.var, self.tiling, self.empty);
        let memory = (block.end - block.first).saturating_mul(self.chunk);
        let region = self.region(&block.span);
        self.spill.take_if(|(_, end)| block.first >= *end);
        let shared = Arc::new(SharedBlock::new(
            block,
            stripe_chunks(self.chunk, terms.batch()),
            memory,
        )?);
        let mut decode = self.decode;
        let mut found = pieces(terms, var, &region, terms.batch());
        let spilling = match &self.spill {
            Some((spill, _)) => {
                // Only a part of each input chunk is needed, so a job takes more of them.
                let input = var.input();
                let elements = chunk_bytes(input.layout(&terms.readers)) / self.element_size().max(1);
                let most = largest_part(input, &region, elements).max(1);
                let batch = terms.batch().saturating_mul((elements / most).max(1));
                found = pieces(terms, var, &region, batch);
                Spilling::Reads(Arc::clone(spill))
            }
            None => match self.begin_spill(&shared, &region) {
                Some((spill, all, end)) => {
                    found = all;
                    decode = decode.saturating_add(chunk_bytes(var.input().layout(&terms.readers)));
                    self.spill = Some((Arc::clone(&spill), end));
                    Spilling::Writes(spill)
                }
                None => Spilling::Not,
            },
        };
        // Where inputs overlap the later one wins, so a single job takes all pieces in order.
        let pieces: Vec<Vec<PieceOfInput>> = if self.overlaps && !found.is_empty() {
            vec![found]
        } else {
            found.into_iter().map(|piece| vec![piece]).collect()
        };
        shared.expect(pieces.len() as u64);
        let filling = Arc::clone(&shared);
        let filled = !pieces.is_empty();
        let fill = pieces.into_iter().enumerate().map(move |(n, pieces)| {
            let block = Arc::clone(&filling);
            let spill = spilling.clone();
            let cost = JobMemory {
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
            let cost = JobMemory {
                working,
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

    /// The elements of a box of output chunks.
    fn region(&self, span: &Region) -> Region {
        let grid = &self.tiling.grid;
        elements(span, grid.chunk(), grid.extent())
    }

    fn element_size(&self) -> u64 {
        self.var.input().layout(&self.terms.readers).stored_size() as u64
    }

    /// Starts a spill if later blocks of the tile would decode the same chunks again and a temporary file is
    /// cheaper. Returns the spill, the input pieces of the whole tile, and the position in the order where the
    /// tile ends.
    fn begin_spill(
        &self,
        first: &Arc<SharedBlock>,
        region: &Region,
    ) -> Option<(Arc<Spill>, Vec<PieceOfInput>, u64)> {
        let [
            InputMapping {
                selection: None,
                grid: Some(input),
                target,
                var,
                ..
            },
        ] = &self.var.inputs[..]
        else {
            return None;
        };
        let from = self.terms.readers.main().layout(*var);
        let region = region.intersect(target)?;
        let tile = self.tiling.made_with(&self.order, first.block.first);
        let mut blocks = Vec::new();
        let mut next = first.block.end;
        while next < tile.end {
            let Some(position) = self
                .var
                .to_write
                .position(self.var.to_write.before(next))
                .filter(|p| *p < tile.end)
            else {
                break;
            };
            let block = self.order.block_at(position);
            blocks.extend(self.region(&block.span).intersect(target));
            next = block.end;
        }
        if blocks.is_empty() || from.filters.is_empty() {
            return None;
        }
        let all = self.region(&tile.span);
        let whole = all.intersect(target)?;
        let chunks = |region: &Region| input.span(region)?.element_count();
        let decodes = blocks
            .iter()
            .filter_map(chunks)
            .fold(chunks(&region)?, u64::saturating_add);
        let again = decodes / chunks(&whole)?.max(1);
        let size = whole.element_count()?.checked_mul(from.element_size as u64)?;
        // A file that fits into the system's cache costs little. A larger one costs disk time, so it must
        // save more decoding, which all threads share.
        let worth = if size <= default_budget() {
            2
        } else {
            2 + 2 * self.terms.threads as u64
        };
        if again < worth {
            return None;
        }
        let size = from.element_size;
        let spill = Spill::create(self.terms.folder, &whole, blocks, size, Arc::clone(first))?;
        Some((
            Arc::new(spill),
            pieces(self.terms, self.var, &all, self.terms.batch()),
            tile.end,
        ))
    }
}

/// The most elements of `region` that one input chunk of `elements` elements can hold.
fn largest_part(input: &InputMapping, region: &Region, elements: u64) -> u64 {
    input.grid.as_ref().map_or(elements, |grid| {
        let part = grid.chunk().iter().zip(&region.count).map(|(c, n)| (*c).min(*n));
        part.fold(1, u64::saturating_mul)
    })
}
