//! Making output chunks of another shape: pieces of input are scattered into blocks of output chunks, by one thread for a small
//! block, by all for a large one.

use super::block::SharedBlock;
use super::block_jobs::{elements, pieces};
use super::execute::{Data, Target, Worker, at_chunk, fill_block};
use super::job::{Pieces, Spilling};
use super::order::Block;
use super::prepare::{Tiling, Variable, swap_between};
use super::run::Engine;
use super::scatter::{Piece, Slots, scatter};
use super::spill::Spill;
use crate::chunk::{Axis, Region, resize};
use crate::error::{Error, Result};
use crate::format::region::{chunk_size, read_ranges};
use crate::model::VariableLayout;

impl Worker {
    /// Makes a block alone: its chunks lie one after another in `self.block`.
    pub(super) fn whole_block(
        &mut self,
        engine: &Engine,
        var: &Variable,
        tiling: &Tiling,
        block: &Block,
    ) -> Result<u64> {
        let from = engine.terms.reader.layout(var.source);
        let to = &engine.terms.plans[var.out.0].layout;
        let size = block_size(block, tiling, to)?;
        let region = elements(&block.span, tiling.grid.chunk(), tiling.grid.extent()).clip(&from.extent);
        if covered(tiling, block, from) {
            resize(&mut self.block, size)?;
        } else {
            fill_block(&mut self.block, size, from, to)?;
        }
        let slots = Slots {
            span: &block.span,
            chunk: tiling.grid.chunk(),
            element_size: to.element_size,
        };
        let mut out = std::mem::take(&mut self.block);
        if let Some(region) = region {
            for piece in pieces(tiling, from, &region, engine.terms.batch()) {
                self.each_piece(
                    engine,
                    var,
                    tiling,
                    &piece,
                    |worker, piece, from_piece| match from_piece.intersect(&region) {
                        Some(part) => scatter(
                            piece,
                            &part,
                            &slots,
                            &mut out,
                            swap_between(from, to),
                            &mut worker.axes,
                        ),
                        None => Ok(()),
                    },
                )?;
            }
        }
        let written = self.write_slots(engine, var, tiling, block, &mut out);
        self.block = out;
        written
    }

    /// Reads and decodes input pieces one by one, and hands each to `then` with the region whose elements it holds.
    fn each_piece(
        &mut self,
        engine: &Engine,
        var: &Variable,
        tiling: &Tiling,
        pieces: &Pieces,
        mut then: impl FnMut(&mut Self, &Piece, &Region) -> Result<()>,
    ) -> Result<()> {
        let reader = engine.terms.reader;
        let from = reader.layout(var.source);
        match (pieces, &tiling.input) {
            (Pieces::Chunks(chunks), Some(grid)) => {
                for chunk in chunks {
                    let wrap = |e: Error| at_chunk(e, from, *chunk);
                    if !self
                        .decode(reader, var.source, from, grid, *chunk)
                        .map_err(wrap)?
                    {
                        continue;
                    }
                    let bytes = std::mem::take(&mut self.decoded);
                    let region = grid.region(*chunk);
                    let piece = Piece {
                        bytes: &bytes,
                        origin: &region.start,
                        shape: grid.chunk(),
                    };
                    let done = then(self, &piece, &region);
                    self.decoded = bytes;
                    done.map_err(wrap)?;
                }
                Ok(())
            }
            (Pieces::Range(region), _) => {
                let mut bytes = std::mem::take(&mut self.decoded);
                read_ranges(reader, var.source, region, &mut bytes)?;
                let piece = Piece {
                    bytes: &bytes,
                    origin: &region.start,
                    shape: &region.count,
                };
                let done = then(self, &piece, region);
                self.decoded = bytes;
                done
            }
            (Pieces::Chunks(_), None) => Err(Error::Internal("chunks of a variable that has none".into())),
        }
    }

    /// Encodes and writes those chunks of `slots` (a block or a stripe, in `buffer`) that are to be written.
    fn write_slots(
        &mut self,
        engine: &Engine,
        var: &Variable,
        tiling: &Tiling,
        slots: &Block,
        buffer: &mut Vec<u8>,
    ) -> Result<u64> {
        let to = &engine.terms.plans[var.out.0].layout;
        let target = Target {
            sink: engine.sink,
            var,
            layout: to,
            pipeline: &engine.terms.plans[var.out.0].pipeline,
            grid: &tiling.grid,
        };
        let size = buffer.len()
            / usize::try_from(slots.end - slots.first)
                .unwrap_or(usize::MAX)
                .max(1);
        let mut bytes = 0;
        let mut n = var.written.before(slots.first);
        for (slot, chunk) in tiling.grid.chunks_of_span(slots.span.clone()).enumerate() {
            if var.written.place(n) != Some(slots.first + slot as u64) {
                continue;
            }
            let data = if slots.end - slots.first == 1 {
                Data::Owned(buffer)
            } else {
                let slot = buffer.get(slot * size..(slot + 1) * size);
                Data::Borrowed(slot.ok_or_else(|| Error::Internal("a block of the wrong length".into()))?)
            };
            self.write_chunk(&target, chunk, var.ticket + n, data)
                .map_err(|e| at_chunk(e, to, chunk))?;
            bytes += size as u64;
            n += 1;
        }
        Ok(bytes)
    }

    pub(super) fn fill_shared(
        &mut self,
        engine: &Engine,
        var: &Variable,
        tiling: &Tiling,
        block: &SharedBlock,
        pieces: &Pieces,
        spill: &Spilling,
    ) -> Result<()> {
        let stripes = Stripes {
            engine,
            var,
            tiling,
            block,
        };
        if let Spilling::Reads(spill) = spill
            && (!spill.wait_written() || self.fill_from_spill(&stripes, pieces, spill)?)
        {
            return Ok(());
        }
        self.each_piece(engine, var, tiling, pieces, |worker, piece, held| {
            if let Spilling::Writes(spill) = spill {
                spill.write(piece, held, &mut worker.block)?;
            }
            stripes.scatter(piece, held, &mut worker.axes)
        })
    }

    /// Fills from the parts of consecutive chunks that were written down; false where they cannot be had.
    fn fill_from_spill(&mut self, stripes: &Stripes, pieces: &Pieces, spill: &Spill) -> Result<bool> {
        let Stripes {
            engine,
            var,
            tiling,
            block,
        } = stripes;
        let (Pieces::Chunks(chunks), Some(input)) = (pieces, &tiling.input) else {
            return Ok(false);
        };
        let reader = engine.terms.reader;
        let whole = elements(&block.block.span, tiling.grid.chunk(), tiling.grid.extent());
        let Some(whole) = whole.clip(input.extent()) else {
            return Ok(true);
        };
        let part = |chunk: &u64| input.region(*chunk).intersect(&whole);
        let (Some(first), Some(last)) = (chunks.first().and_then(part), chunks.last().and_then(part)) else {
            return Ok(true);
        };
        let mut bytes = std::mem::take(&mut self.decoded);
        let done = (|| {
            if !spill.read(&whole, &first, &last, &mut bytes)? {
                return Ok(false);
            }
            for chunk in chunks {
                let stored = reader.stored_size(var.source, *chunk)?.is_some();
                let Some(part) = part(chunk).filter(|_| stored) else {
                    continue;
                };
                let piece = Piece {
                    bytes: spill.part(&bytes, &whole, &first, &part)?,
                    origin: &part.start,
                    shape: &part.count,
                };
                stripes.scatter(&piece, &part, &mut self.axes)?;
            }
            Ok(true)
        })();
        self.decoded = bytes;
        done
    }

    pub(super) fn empty_shared(
        &mut self,
        engine: &Engine,
        var: &Variable,
        tiling: &Tiling,
        block: &SharedBlock,
        stripe: usize,
    ) -> Result<u64> {
        let mut bytes = Ok(0);
        if block.wait_filled() {
            let slots = block.stripe(stripe);
            if any_written(var, &slots) {
                let from = engine.terms.reader.layout(var.source);
                let to = &engine.terms.plans[var.out.0].layout;
                let mut buffer = std::mem::take(&mut *block.buffer(stripe));
                if buffer.is_empty() {
                    buffer = stripe_buffer(engine, tiling, &slots, from, to)?;
                }
                bytes = self.write_slots(engine, var, tiling, &slots, &mut buffer);
                engine.pool.give(buffer);
            }
        }
        if block.stripe_done() {
            let pooled = engine.pool.settle(block.memory);
            engine.ledger.release(block.memory - pooled);
        }
        bytes
    }
}

/// A block being filled.
struct Stripes<'a, 'e> {
    engine: &'a Engine<'e>,
    var: &'a Variable,
    tiling: &'a Tiling,
    block: &'a SharedBlock,
}

impl Stripes<'_, '_> {
    /// Scatters those elements of `held` into the stripes that are the block's; `piece` holds them.
    fn scatter(&self, piece: &Piece, held: &Region, axes: &mut Vec<Axis>) -> Result<()> {
        let Self {
            engine,
            var,
            tiling,
            block,
        } = self;
        let from = engine.terms.reader.layout(var.source);
        let to = &engine.terms.plans[var.out.0].layout;
        let chunk = tiling.grid.chunk();
        let region = elements(&block.block.span, chunk, tiling.grid.extent());
        let Some(held) = held.intersect(&region) else {
            return Ok(());
        };
        let Some(span) = tiling.grid.span(&held) else {
            return Ok(());
        };
        for n in block.stripes_in(&span, engine.terms.threads) {
            let stripe = block.stripe(n);
            if !any_written(var, &stripe) {
                continue;
            }
            let Some(part) = elements(&stripe.span, chunk, tiling.grid.extent()).intersect(&held) else {
                continue;
            };
            let slots = Slots {
                span: &stripe.span,
                chunk,
                element_size: to.element_size,
            };
            let mut buffer = block.buffer(n);
            if buffer.is_empty() {
                *buffer = stripe_buffer(engine, tiling, &stripe, from, to)?;
            }
            scatter(piece, &part, &slots, &mut buffer, swap_between(from, to), axes)?;
        }
        Ok(())
    }
}

fn any_written(var: &Variable, block: &Block) -> bool {
    let next = var.written.place(var.written.before(block.first));
    next.is_some_and(|place| place < block.end)
}

pub(super) fn block_size(block: &Block, tiling: &Tiling, to: &VariableLayout) -> Result<usize> {
    let chunk = chunk_size(to, tiling.grid.chunk())?;
    usize::try_from(block.end - block.first)
        .ok()
        .and_then(|n| n.checked_mul(chunk))
        .ok_or_else(|| Error::Unsupported("a block of chunks larger than memory".into()))
}

/// Whether input pieces will overwrite every element of the block's chunks.
fn covered(tiling: &Tiling, block: &Block, from: &VariableLayout) -> bool {
    let whole = Region {
        start: block
            .span
            .start
            .iter()
            .zip(tiling.grid.chunk())
            .map(|(s, c)| s.saturating_mul(*c))
            .collect(),
        count: block
            .span
            .count
            .iter()
            .zip(tiling.grid.chunk())
            .map(|(n, c)| n.saturating_mul(*c))
            .collect(),
    };
    tiling.complete && whole.fits(&from.extent) && whole.fits(tiling.grid.extent())
}

/// A buffer for the chunks of a stripe, filled where input may not cover it.
fn stripe_buffer(
    engine: &Engine,
    tiling: &Tiling,
    stripe: &Block,
    from: &VariableLayout,
    to: &VariableLayout,
) -> Result<Vec<u8>> {
    let size = block_size(stripe, tiling, to)?;
    let mut buffer = engine.pool.take(size)?;
    if !covered(tiling, stripe, from) {
        fill_block(&mut buffer, size, from, to)?;
    }
    Ok(buffer)
}
