//! Pieces of a variable's inputs, and blocks of its output, as jobs take them.

use super::job_memory::chunk_bytes;
use super::terms::{BATCH, Terms};
use crate::chunk::Region;
use crate::copy::geometry::{Block, BlockOrder};
use crate::copy::task::Variable;

/// A piece of one of a variable's inputs.
pub enum PieceOfInput {
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

/// The pieces of the inputs that a region of the output needs, in the order of the inputs. A piece is about
/// `batch` bytes of chunks, or a range of about [`BATCH`] bytes.
pub fn pieces(terms: &Terms, var: &Variable, region: &Region, batch: u64) -> Vec<PieceOfInput> {
    let mut pieces = Vec::new();
    for n in var.inputs.near(region) {
        let input = &var.inputs[n];
        let Some(bounds) = input.input(region) else {
            continue;
        };
        let from = input.layout(&terms.readers);
        match &input.grid {
            Some(grid) => {
                let each = (batch / chunk_bytes(from).max(1)).clamp(1, 4096) as usize;
                let mut chunks = Vec::new();
                let dense = input.selection.as_ref().is_none_or(|s| s.is_dense());
                for chunk in grid.chunks_in(&bounds) {
                    // A stride may step over a whole chunk.
                    let met = || {
                        input
                            .output(&grid.region(chunk))
                            .and_then(|r| r.intersect(region))
                    };
                    if !input.is_stored(chunk) || !dense && met().is_none() {
                        continue;
                    }
                    chunks.push(chunk);
                    if chunks.len() == each {
                        let chunks = std::mem::take(&mut chunks);
                        pieces.push(PieceOfInput::Chunks { input: n, chunks });
                    }
                }
                if !chunks.is_empty() {
                    pieces.push(PieceOfInput::Chunks { input: n, chunks });
                }
            }
            None => {
                let Some(met) = region.intersect(&input.target) else {
                    continue;
                };
                let whole = met.element_count().unwrap_or(0);
                // A range is read with the elements that a stride steps over.
                let spread = (0..met.rank()).fold(1u64, |n, d| n.saturating_mul(input.stride(d)));
                let most = BATCH / (from.element_size.max(1) as u64).saturating_mul(spread).max(1);
                let order = BlockOrder::new(&met.count, &met.count, most.max(1));
                let mut position = 0;
                while position < whole {
                    let piece = order.block_at(position);
                    position = piece.end;
                    let start = piece.span.start.iter().zip(&met.start).map(|(a, b)| a + b);
                    pieces.push(PieceOfInput::Range {
                        input: n,
                        region: Region {
                            start: start.collect(),
                            count: piece.span.count,
                        },
                    });
                }
            }
        }
    }
    pieces
}

/// Groups blocks of `bytes` bytes each into jobs of about `batch` bytes.
pub fn grouped<'e>(
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

/// The blocks that hold at least one chunk to be written.
pub fn written_blocks<'e>(var: &'e Variable, order: BlockOrder) -> impl Iterator<Item = Block> + Send + 'e {
    let mut next = 0;
    std::iter::from_fn(move || {
        let position = var.to_write.position(next)?;
        let block = order.block_at(position);
        next = var.to_write.before(block.end);
        Some(block)
    })
}
