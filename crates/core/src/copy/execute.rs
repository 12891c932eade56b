//! What a thread does with a job.

use super::block::SharedBlock;
use super::job::{Job, Pieces, Spilling, elements, pieces};
use super::order::{Block, BlockOrder};
use super::prepare::{Tiling, Variable, swap_between};
use super::run::Engine;
use super::scatter::{Piece, Slots, scatter};
use super::spill::Spill;
use crate::chunk::{Axis, ChunkGrid, Region, copy_region, fill_pattern, swap_units};
use crate::error::{Error, Result};
use crate::filter::pipeline::{self, Scratch};
use crate::format::region::{
    byte_offset, chunk_context, chunk_filters, fill_element, read_ranges, swap_unit,
};
use crate::format::{EncodedChunk, Reader, Writer};
use crate::model::{Encoding, Storage, VarId, VariableLayout};

/// A thread's buffers, used again from job to job.
#[derive(Default)]
pub(super) struct Worker {
    scratch: Scratch,
    /// A piece of input as stored.
    encoded: Vec<u8>,
    /// A decoded piece of input.
    decoded: Vec<u8>,
    /// A chunk or block of output.
    block: Vec<u8>,
    axes: Vec<Axis>,
    /// What the job before was about.
    variable: Option<VarId>,
    /// Bytes that the current job handed to the writer in its order.
    pub kept: u64,
}

/// Where the chunks of an output variable go, and how they are encoded.
struct Target<'a> {
    writer: &'a dyn Writer,
    var: VarId,
    layout: &'a VariableLayout,
    grid: &'a ChunkGrid,
}

impl Job<'_> {
    fn about(&self) -> &Variable {
        match self {
            Self::Raw { var, .. }
            | Self::Refilter { var, .. }
            | Self::Bytes { var, .. }
            | Self::Blocks { var, .. }
            | Self::Fill { var, .. }
            | Self::Empty { var, .. }
            | Self::Values { var, .. } => var,
        }
    }

    /// The path of the variable it is about.
    pub fn variable(&self) -> &str {
        &self.about().name
    }

    /// The output's variable it is about.
    pub fn out(&self) -> VarId {
        self.about().out
    }
}

impl Worker {
    /// Does a job.
    ///
    /// # Errors
    /// What reading, decoding, encoding and writing find wrong, naming the variable, and the chunk where one is at fault.
    pub fn execute(&mut self, engine: &Engine, job: &Job) -> Result<()> {
        let done = match job {
            Job::Raw { var, chunks } => self.raw(engine, var, chunks.clone()),
            Job::Refilter { var, chunks } => self.refilter(engine, var, chunks.clone()),
            Job::Bytes { var, offset, length } => self.bytes(engine, var, *offset, *length),
            Job::Blocks { var, tiling, blocks } => {
                blocks.iter().try_fold(
                    0,
                    |n, block| Ok(n + self.whole_block(engine, var, tiling, block)?),
                )
            }
            Job::Fill {
                var,
                tiling,
                block,
                pieces,
                spill,
            } => self
                .fill_shared(engine, var, tiling, block, pieces, spill)
                .map(|()| 0),
            Job::Empty {
                var,
                tiling,
                block,
                stripe,
            } => self.empty_shared(engine, var, tiling, block, *stripe),
            Job::Values { var, tiling, chunks } => self.values(engine, var, tiling, chunks.clone()),
        };
        let bytes = done.map_err(|e| e.in_variable(job.variable()))?;
        if let Some(progress) = engine.progress
            && bytes > 0
        {
            progress.advance(bytes);
        }
        Ok(())
    }

    /// Prepares for a job. Where it is about another variable than the one before, gives back the memory of buffers larger than
    /// `most` bytes.
    pub fn turn_to(&mut self, job: &Job, most: u64) {
        self.kept = 0;
        if self.variable.replace(job.out()) == Some(job.out()) {
            return;
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        for buffer in [&mut self.encoded, &mut self.decoded, &mut self.block] {
            if buffer.capacity() > most {
                *buffer = Vec::new();
            }
        }
        if self.scratch.capacity() / 2 > most {
            self.scratch = Scratch::new();
        }
    }

    fn raw(&mut self, engine: &Engine, var: &Variable, chunks: std::ops::Range<u64>) -> Result<u64> {
        let reader = engine.terms.reader;
        let layout = &engine.terms.plans[var.out.0].layout;
        let mut bytes = 0;
        for n in chunks {
            let chunk = place(var, n)?;
            let copied = reader.read_encoded_chunk(var.source, chunk).and_then(|data| {
                let data = data.ok_or_else(|| Error::Damaged("a stored chunk cannot be found".into()))?;
                self.kept += data.bytes.len() as u64;
                engine
                    .writer
                    .write_encoded_chunk(var.ticket + n, var.out, chunk, data)
            });
            copied.map_err(|e| at_chunk(e, layout, chunk))?;
            bytes += decoded_size(layout);
        }
        Ok(bytes)
    }

    fn refilter(&mut self, engine: &Engine, var: &Variable, chunks: std::ops::Range<u64>) -> Result<u64> {
        let reader = engine.terms.reader;
        let from = reader.layout(var.source);
        let to = &engine.terms.plans[var.out.0].layout;
        let grid = ChunkGrid::new(&to.extent, to.chunk_shape())?;
        let target = Target {
            writer: engine.writer,
            var: var.out,
            layout: to,
            grid: &grid,
        };
        let swap = swap_between(from, to);
        let mut bytes = 0;
        for n in chunks {
            let chunk = place(var, n)?;
            self.refilter_chunk(reader, var.source, from, swap, chunk, &target, var.ticket + n)
                .map_err(|e| at_chunk(e, to, chunk))?;
            bytes += decoded_size(to);
        }
        Ok(bytes)
    }

    fn refilter_chunk(
        &mut self,
        reader: &dyn Reader,
        source: VarId,
        from: &VariableLayout,
        swap: usize,
        chunk: u64,
        target: &Target,
        ticket: u64,
    ) -> Result<()> {
        if !self.decode(reader, source, from, target.grid, chunk)? {
            return Err(Error::Damaged("a stored chunk cannot be found".into()));
        }
        swap_units(&mut self.decoded, swap);
        if target.grid.is_edge(chunk) {
            // What lies past the extent may be anything; written, it is fill.
            let shape = target.grid.chunk();
            let inside = target.grid.region(chunk);
            let size = self.decoded.len();
            fill_block(&mut self.block, size, from, target.layout);
            let origin = vec![0; shape.len()];
            copy_region(
                &self.decoded,
                shape,
                &origin,
                &mut self.block,
                shape,
                &origin,
                &inside.count,
                target.layout.element_size,
                1,
            )?;
            std::mem::swap(&mut self.block, &mut self.decoded);
        }
        let mut data = std::mem::take(&mut self.decoded);
        let written = self.write_chunk(target, chunk, ticket, Data::Owned(&mut data));
        self.decoded = data;
        written
    }

    /// Reads a chunk and decodes it into `self.decoded`, in the layout's byte order; false where it is not stored.
    fn decode(
        &mut self,
        reader: &dyn Reader,
        var: VarId,
        layout: &VariableLayout,
        grid: &ChunkGrid,
        chunk: u64,
    ) -> Result<bool> {
        let filters = chunk_filters(layout, grid.is_edge(chunk));
        let bytes = if filters.is_empty() {
            &mut self.decoded
        } else {
            &mut self.encoded
        };
        let Some(filter_mask) = reader.read_encoded_chunk_into(var, chunk, bytes)? else {
            return Ok(false);
        };
        let context = chunk_context(layout, grid.chunk())?;
        if filters.is_empty() {
            pipeline::check_size(bytes.len(), &context)?;
        } else {
            pipeline::decode_into(
                filters,
                &self.encoded,
                filter_mask,
                &context,
                &mut self.scratch,
                &mut self.decoded,
            )?;
        }
        Ok(true)
    }

    /// Encodes and writes one output chunk; a slab of a contiguous variable is written as it is.
    fn write_chunk(&mut self, target: &Target, chunk: u64, ticket: u64, data: Data) -> Result<()> {
        let layout = target.layout;
        if !matches!(layout.storage, Storage::Chunked { .. }) {
            let region = target.grid.region(chunk);
            let offset = byte_offset(&layout.extent, &region.start, layout.element_size)?;
            let length = region
                .element_count()
                .and_then(|n| usize::try_from(n).ok()?.checked_mul(layout.element_size))
                .and_then(|n| data.bytes().get(..n));
            let slab = length.ok_or_else(|| Error::Internal("a slab of the wrong length".into()))?;
            return target.writer.write_range(target.var, offset, slab);
        }
        let filters = chunk_filters(layout, target.grid.is_edge(chunk));
        let encoded = match data {
            Data::Owned(bytes) if filters.is_empty() => EncodedChunk {
                bytes: std::mem::take(bytes),
                filter_mask: 0,
            },
            data => {
                let context = chunk_context(layout, target.grid.chunk())?;
                pipeline::encode(filters, data.bytes(), &mut self.scratch, &context)?
            }
        };
        self.kept += encoded.bytes.len() as u64;
        target
            .writer
            .write_encoded_chunk(ticket, target.var, chunk, encoded)
    }

    fn bytes(&mut self, engine: &Engine, var: &Variable, offset: u64, length: u64) -> Result<u64> {
        let from = engine.terms.reader.layout(var.source);
        let to = &engine.terms.plans[var.out.0].layout;
        let size = usize::try_from(length).map_err(|_| Error::Internal("a range too long".into()))?;
        if self.decoded.len() < size {
            self.decoded.resize(size, 0);
        }
        let buffer = &mut self.decoded[..size];
        engine.terms.reader.read_range(var.source, offset, buffer)?;
        swap_units(buffer, swap_between(from, to));
        engine.writer.write_range(var.out, offset, buffer)?;
        Ok(length)
    }

    /// Makes a block alone: its chunks lie one after another in `self.block`.
    fn whole_block(
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
            self.block.resize(size, 0);
        } else {
            fill_block(&mut self.block, size, from, to);
        }
        let slots = Slots {
            span: &block.span,
            chunk: tiling.grid.chunk(),
            element_size: to.element_size,
        };
        let mut out = std::mem::take(&mut self.block);
        if let Some(region) = region {
            for piece in pieces(tiling, from, &region, 1) {
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
            writer: engine.writer,
            var: var.out,
            layout: to,
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

    fn fill_shared(
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

    fn empty_shared(
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

    fn values(
        &mut self,
        engine: &Engine,
        var: &Variable,
        tiling: &Tiling,
        chunks: std::ops::Range<u64>,
    ) -> Result<u64> {
        let to = &engine.terms.plans[var.out.0].layout;
        let grid = &tiling.grid;
        let order = BlockOrder::new(grid.counts(), &tiling.tile, 1);
        let target = Target {
            writer: engine.writer,
            var: var.out,
            layout: to,
            grid,
        };
        let mut bytes = 0;
        for n in chunks {
            let block = order.block_at(place(var, n)?);
            let chunk = grid.index(&block.span.start);
            self.chunk_of_values(engine.terms.reader, var.source, &target, chunk, var.ticket + n)
                .map_err(|e| at_chunk(e, to, chunk))?;
            bytes += block_size(&block, tiling, to)? as u64;
        }
        Ok(bytes)
    }

    fn chunk_of_values(
        &mut self,
        reader: &dyn Reader,
        source: VarId,
        target: &Target,
        chunk: u64,
        ticket: u64,
    ) -> Result<()> {
        let to = target.layout;
        let region = target.grid.region(chunk);
        let mut values = reader.read_region(source, &region)?;
        self.kept += (values.bytes.len() + values.heap.len()) as u64;
        if to.encoding == Encoding::Structured {
            return target.writer.write_values(ticket, target.var, &region, values);
        }
        swap_units(&mut values.bytes, swap_unit(to));
        let shape = target.grid.chunk();
        if region.count == shape {
            return self.write_chunk(target, chunk, ticket, Data::Owned(&mut values.bytes));
        }
        let size = chunk_context(to, shape)?.chunk_size;
        fill_block(&mut self.block, size, to, to);
        let origin = vec![0; shape.len()];
        copy_region(
            &values.bytes,
            &region.count,
            &origin,
            &mut self.block,
            shape,
            &origin,
            &region.count,
            to.element_size,
            1,
        )?;
        let mut block = std::mem::take(&mut self.block);
        let written = self.write_chunk(target, chunk, ticket, Data::Owned(&mut block));
        self.block = block;
        written
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
        for n in block.stripes_in(&span) {
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

/// The bytes of a chunk to be written.
enum Data<'a> {
    Borrowed(&'a [u8]),
    /// May be taken where they need not be encoded.
    Owned(&'a mut Vec<u8>),
}

impl Data<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}

fn place(var: &Variable, n: u64) -> Result<u64> {
    var.written
        .place(n)
        .ok_or_else(|| Error::Internal("more chunks than were planned".into()))
}

fn any_written(var: &Variable, block: &Block) -> bool {
    let next = var.written.place(var.written.before(block.first));
    next.is_some_and(|place| place < block.end)
}

fn decoded_size(layout: &VariableLayout) -> u64 {
    chunk_context(layout, layout.chunk_shape()).map_or(0, |c| c.chunk_size as u64)
}

fn block_size(block: &Block, tiling: &Tiling, to: &VariableLayout) -> Result<usize> {
    let chunk = chunk_context(to, tiling.grid.chunk())?.chunk_size;
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
    let mut buffer = engine.pool.take(size);
    if !covered(tiling, stripe, from) {
        fill_block(&mut buffer, size, from, to);
    }
    Ok(buffer)
}

/// Makes `buffer` hold `size` bytes of what reads where the input has nothing, in the output's byte order.
fn fill_block(buffer: &mut Vec<u8>, size: usize, from: &VariableLayout, to: &VariableLayout) {
    buffer.resize(size, 0);
    let mut element = fill_element(from).to_vec();
    if element.len() != to.element_size {
        element = fill_element(to).to_vec();
    }
    swap_units(&mut element, swap_unit(to));
    fill_pattern(buffer, &element);
}

/// Says in which chunk of a variable something went wrong.
fn at_chunk(error: Error, layout: &VariableLayout, chunk: u64) -> Error {
    match &error {
        Error::Chunk { .. } | Error::Variable { .. } => error,
        _ => match (
            &layout.storage,
            ChunkGrid::new(&layout.extent, layout.chunk_shape()),
        ) {
            (Storage::Chunked { .. }, Ok(grid)) => error.in_chunk(&grid.coordinates(chunk)),
            _ => error,
        },
    }
}
