//! Making output chunks of another shape: pieces of input are scattered into blocks of output chunks. One
//! thread makes a small block, all threads make a large one.

use crate::chunk::{Axis, Region, resize};
use crate::copy::geometry::{Block, InputBox, InputMapping, Slots, Tiling, elements, scatter, swap_between};
use crate::copy::jobs::{PieceOfInput, SharedBlock, Spill, Spilling, pieces};
use crate::copy::run::chunk_data::Data;
use crate::copy::run::chunk_target::{ChunkTarget, base, fill_block};
use crate::copy::run::context::Context;
use crate::copy::run::input_access::InputAccess;
use crate::copy::run::worker::{Worker, at_chunk};
use crate::copy::task::Variable;
use crate::error::{Error, Result};
use crate::model::VariableLayout;

impl Worker {
    /// Makes a block in this thread alone. Its chunks lie one after another in `self.block`.
    pub fn whole_block(
        &mut self,
        context: &Context,
        var: &Variable,
        tiling: &Tiling,
        block: &Block,
    ) -> Result<u64> {
        let to = &context.terms.plans[var.out.0].layout;
        let size = tiling.block_bytes(block, to)?;
        let region = elements(&block.span, tiling.grid.chunk(), tiling.grid.extent());
        if covered(var, tiling, block) {
            resize(&mut self.block, size)?;
        } else {
            fill_block(
                &mut self.block,
                size,
                base(var, first_layout(context, var, to), to),
                to,
            )?;
        }
        let slots = Slots {
            span: &block.span,
            chunk: tiling.grid.chunk(),
            element_size: to.element_size,
        };
        let mut out = std::mem::take(&mut self.block);
        for piece in pieces(context.terms, var, &region, context.terms.batch()) {
            self.each_box(context, var, &piece, |worker, input, held, target| {
                let from = input.layout(&context.terms.readers);
                match target.intersect(&region) {
                    Some(part) => {
                        let swap = swap_between(from, to);
                        scatter(held, &part, &slots, &mut out, swap, &mut worker.axes)
                    }
                    None => Ok(()),
                }
            })?;
        }
        let written = self.write_slots(context, var, tiling, block, &mut out);
        self.block = out;
        written
    }

    /// Reads and decodes the parts of a piece one by one. Calls `then` for each, with its input and the
    /// region of the output that it fills.
    fn each_box(
        &mut self,
        context: &Context,
        var: &Variable,
        piece: &PieceOfInput,
        mut then: impl FnMut(&mut Self, &InputMapping, &InputBox, &Region) -> Result<()>,
    ) -> Result<()> {
        match piece {
            PieceOfInput::Chunks { input, chunks } => {
                let input = &var.inputs[*input];
                let Some(grid) = &input.grid else {
                    return Err(Error::Internal("chunks of a variable that has none".into()));
                };
                let source = InputAccess::new(&context.terms.readers, input);
                let from = source.layout();
                for chunk in chunks {
                    let wrap = |e: Error| at_chunk(e, from, *chunk);
                    self.decode(source, grid, *chunk).map_err(wrap)?;
                    let own = grid.region(*chunk);
                    let Some(target) = input.output(&own) else {
                        continue;
                    };
                    let bytes = std::mem::take(&mut self.decoded);
                    let held = InputBox {
                        bytes: &bytes,
                        origin: &own.start,
                        shape: from.stored_shape(&own.count),
                        selection: input.selection.as_deref(),
                    };
                    let done = then(self, input, &held, &target);
                    self.decoded = bytes;
                    done.map_err(wrap)?;
                }
                Ok(())
            }
            PieceOfInput::Range { input, region } => {
                let input = &var.inputs[*input];
                let Some(bounds) = input.input(region) else {
                    return Ok(());
                };
                let mut bytes = std::mem::take(&mut self.decoded);
                let source = InputAccess::new(&context.terms.readers, input);
                self.read_ranges(source, &bounds, &mut bytes)?;
                let held = InputBox {
                    bytes: &bytes,
                    origin: &bounds.start,
                    shape: &bounds.count,
                    selection: input.selection.as_deref(),
                };
                let done = then(self, input, &held, region);
                self.decoded = bytes;
                done
            }
        }
    }

    /// Encodes and writes the chunks of `slots` that are to be written. `slots` is a block or a stripe;
    /// `buffer` holds its chunks.
    fn write_slots(
        &mut self,
        context: &Context,
        var: &Variable,
        tiling: &Tiling,
        slots: &Block,
        buffer: &mut Vec<u8>,
    ) -> Result<u64> {
        let to = &context.terms.plans[var.out.0].layout;
        let target = ChunkTarget::of(context, var, &tiling.grid);
        let size = buffer.len()
            / usize::try_from(slots.end - slots.first)
                .unwrap_or(usize::MAX)
                .max(1);
        let mut bytes = 0;
        let mut n = var.to_write.before(slots.first);
        for (slot, chunk) in tiling.grid.chunks_of_span(slots.span.clone()).enumerate() {
            if var.to_write.position(n) != Some(slots.first + slot as u64) {
                continue;
            }
            let data = if slots.end - slots.first == 1 {
                Data::Owned(buffer)
            } else {
                let slot = buffer.get(slot * size..(slot + 1) * size);
                Data::Borrowed(slot.ok_or_else(|| Error::Internal("a block of the wrong length".into()))?)
            };
            self.write_chunk(&target, chunk, var.first_sequence + n, data)
                .map_err(|e| at_chunk(e, to, chunk))?;
            bytes += size as u64;
            n += 1;
        }
        Ok(bytes)
    }

    pub fn fill_shared(
        &mut self,
        context: &Context,
        var: &Variable,
        tiling: &Tiling,
        block: &SharedBlock,
        pieces: &[PieceOfInput],
        spill: &Spilling,
    ) -> Result<()> {
        let stripes = Stripes {
            context,
            var,
            tiling,
            block,
        };
        if let Spilling::Reads(spill) = spill
            && (!spill.wait_written() || self.fill_from_spill(&stripes, pieces, spill)?)
        {
            return Ok(());
        }
        for piece in pieces {
            self.each_box(context, var, piece, |worker, input, held, target| {
                if let Spilling::Writes(spill) = spill {
                    spill.write(held, target, &mut worker.block)?;
                }
                stripes.scatter(input, held, target, &mut worker.axes)
            })?;
        }
        Ok(())
    }

    /// Fills the block with the parts of consecutive chunks in the spill. Returns false if they cannot be
    /// read.
    fn fill_from_spill(&mut self, stripes: &Stripes, pieces: &[PieceOfInput], spill: &Spill) -> Result<bool> {
        let Stripes {
            var, tiling, block, ..
        } = stripes;
        let input = var.input();
        let ([PieceOfInput::Chunks { chunks, .. }], Some(grid)) = (pieces, &input.grid) else {
            return Ok(false);
        };
        let whole = elements(&block.block.span, tiling.grid.chunk(), tiling.grid.extent());
        let Some(whole) = whole.intersect(&input.target) else {
            return Ok(true);
        };
        let part = |chunk: &u64| grid.region(*chunk).intersect(&whole);
        let (Some(first), Some(last)) = (chunks.first().and_then(part), chunks.last().and_then(part)) else {
            return Ok(true);
        };
        let mut bytes = std::mem::take(&mut self.decoded);
        let done = (|| {
            if !spill.read(&whole, &first, &last, &mut bytes)? {
                return Ok(false);
            }
            // Only stored chunks are in `chunks`. The file has holes for the others.
            for part in chunks.iter().filter_map(part) {
                let held = InputBox {
                    bytes: spill.part(&bytes, &whole, &first, &part)?,
                    origin: &part.start,
                    shape: &part.count,
                    selection: None,
                };
                stripes.scatter(input, &held, &part, &mut self.axes)?;
            }
            Ok(true)
        })();
        self.decoded = bytes;
        done
    }

    pub fn empty_shared(
        &mut self,
        context: &Context,
        var: &Variable,
        tiling: &Tiling,
        block: &SharedBlock,
        stripe: usize,
    ) -> Result<u64> {
        let mut bytes = Ok(0);
        if block.wait_filled() {
            let slots = block.stripe(stripe);
            if any_written(var, &slots) {
                let mut buffer = std::mem::take(&mut *block.buffer(stripe));
                if buffer.is_empty() {
                    buffer = stripe_buffer(context, var, tiling, &slots)?;
                }
                bytes = self.write_slots(context, var, tiling, &slots, &mut buffer);
                context.pool.give(buffer);
            }
        }
        if block.stripe_done() {
            let pooled = context.pool.settle(block.memory);
            context.memory.release(block.memory - pooled);
        }
        bytes
    }
}

/// A block that is being filled, and its context.
struct Stripes<'a, 'e> {
    context: &'a Context<'e>,
    var: &'a Variable,
    tiling: &'a Tiling,
    block: &'a SharedBlock,
}

impl Stripes<'_, '_> {
    /// Scatters the elements of `held` into the block's stripes. They fill the region `target` of the output;
    /// the part of it outside the block is skipped.
    fn scatter(
        &self,
        input: &InputMapping,
        held: &InputBox,
        target: &Region,
        axes: &mut Vec<Axis>,
    ) -> Result<()> {
        let Self {
            context,
            var,
            tiling,
            block,
        } = self;
        let from = input.layout(&context.terms.readers);
        let to = &context.terms.plans[var.out.0].layout;
        let chunk = tiling.grid.chunk();
        let region = elements(&block.block.span, chunk, tiling.grid.extent());
        let Some(target) = target.intersect(&region) else {
            return Ok(());
        };
        let Some(span) = tiling.grid.span(&target) else {
            return Ok(());
        };
        for n in block.stripes_in(&span, context.terms.threads) {
            let stripe = block.stripe(n);
            if !any_written(var, &stripe) {
                continue;
            }
            let Some(part) = elements(&stripe.span, chunk, tiling.grid.extent()).intersect(&target) else {
                continue;
            };
            let slots = Slots {
                span: &stripe.span,
                chunk,
                element_size: to.element_size,
            };
            let mut buffer = block.buffer(n);
            if buffer.is_empty() {
                *buffer = stripe_buffer(context, var, tiling, &stripe)?;
            }
            scatter(held, &part, &slots, &mut buffer, swap_between(from, to), axes)?;
        }
        Ok(())
    }
}

fn any_written(var: &Variable, block: &Block) -> bool {
    let next = var.to_write.position(var.to_write.before(block.first));
    next.is_some_and(|position| position < block.end)
}

/// True if a single input overwrites every element of the block's chunks.
fn covered(var: &Variable, tiling: &Tiling, block: &Block) -> bool {
    let scale = |(n, c): (&u64, &u64)| n.saturating_mul(*c);
    let whole = Region {
        start: block
            .span
            .start
            .iter()
            .zip(tiling.grid.chunk())
            .map(scale)
            .collect(),
        count: block
            .span
            .count
            .iter()
            .zip(tiling.grid.chunk())
            .map(scale)
            .collect(),
    };
    let near = || &var.inputs[var.inputs.near(&whole)];
    whole.fits(tiling.grid.extent()) && near().iter().any(|input| input.covers(&whole))
}

/// The layout of the first input; `to` if there is none.
fn first_layout<'a>(context: &'a Context, var: &'a Variable, to: &'a VariableLayout) -> &'a VariableLayout {
    var.inputs
        .first()
        .map_or(to, |input| input.layout(&context.terms.readers))
}

/// A buffer for the chunks of a stripe. It holds fill values unless one input covers the stripe.
fn stripe_buffer(context: &Context, var: &Variable, tiling: &Tiling, stripe: &Block) -> Result<Vec<u8>> {
    let to = &context.terms.plans[var.out.0].layout;
    let size = tiling.block_bytes(stripe, to)?;
    let mut buffer = context.pool.take(size)?;
    if !covered(var, tiling, stripe) {
        fill_block(
            &mut buffer,
            size,
            base(var, first_layout(context, var, to), to),
            to,
        )?;
    }
    Ok(buffer)
}
