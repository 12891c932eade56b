//! Executes a job in a thread.

use std::time::Duration;

use super::chunk_data::Data;
use super::fetch::Fetched;
use super::job::Job;
use super::prepare::Variable;
use super::report::Meters;
use super::route::{Route, swap_between};
use super::run::Engine;
use super::sink::Sink;
use crate::chunk::{Axis, ChunkGrid, Region, byte_count, copy_region, fill_pattern, resize, swap_units};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, Pipeline};
use crate::filter::{Scratch, pipeline::pipeline::check_size};
use crate::format::range_list::{RangeList, byte_offset};
use crate::format::read_region::{chunk_shape, chunk_size, fill_element, swap_unit};
use crate::format::{EncodedChunk, Reader};
use crate::model::{Storage, VarId, VariableLayout};
use crate::store::ByteRange;

/// A thread's buffers, reused from job to job.
#[derive(Default)]
pub(super) struct Worker {
    scratch: Scratch,
    /// Input that was fetched for the job.
    pub fetched: Fetched,
    /// A piece of input as stored.
    pub(super) encoded: Vec<u8>,
    /// A decoded piece of input.
    pub(super) decoded: Vec<u8>,
    /// A chunk or block of output.
    pub(super) block: Vec<u8>,
    pub(super) axes: Vec<Axis>,
    /// The variable of the previous job.
    variable: Option<VarId>,
    /// Bytes of memory that the current job handed to the writer, to be written in ticket order.
    pub kept: u64,
    /// Bytes that the current job read, as stored in the input.
    pub(super) read: u64,
}

/// About how many bytes of memory a piece of data takes in the writer besides its own bytes. It matters if
/// chunks are small.
pub(super) const PIECE: u64 = 192;

/// The destination of an output variable's chunks, and their encoding.
pub(super) struct Target<'a> {
    pub sink: Sink<'a>,
    pub var: &'a Variable,
    pub layout: &'a VariableLayout,
    pub pipeline: &'a Pipeline,
    pub grid: &'a ChunkGrid,
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
            Self::Records(part) => part.variable(),
        }
    }

    /// Path of the job's variable.
    pub fn variable(&self) -> &str {
        &self.about().name
    }

    /// The output variable of the job.
    pub fn out(&self) -> VarId {
        self.about().out
    }
}

impl Worker {
    /// Executes a job.
    ///
    /// # Errors
    /// The errors of reading, decoding, encoding and writing. They name the variable, and the chunk if one is
    /// at fault.
    pub fn execute(&mut self, engine: &Engine, job: &Job) -> Result<()> {
        let done = match job {
            Job::Raw { var, chunks } | Job::Refilter { var, chunks } => match &var.route {
                Route::Raw(same) => self.same_chunks(engine, var, same, true, chunks.clone()),
                Route::Refilter(same) => self.same_chunks(engine, var, same, false, chunks.clone()),
                _ => Err(Error::Internal("chunks of a variable on another route".into())),
            },
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
            Job::Values { var, tiling, blocks } => blocks
                .iter()
                .try_fold(0, |n, block| Ok(n + self.values(engine, var, tiling, block)?)),
            Job::Records(part) => self.records(engine, part),
        };
        let bytes = done.map_err(|e| e.in_variable(job.variable()))?;
        if let Some(progress) = engine.progress
            && bytes > 0
        {
            progress.advance(bytes);
        }
        Ok(())
    }

    /// Prepares for a job. If its variable differs from the previous one, frees the memory of buffers larger
    /// than `most` bytes.
    pub fn turn_to(&mut self, job: &Job, most: u64) {
        self.kept = 0;
        self.read = 0;
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

    /// Adds the bytes that a job read, and its time, to its variable's counters. Records count for several
    /// variables.
    pub fn count(&self, meters: &Meters, job: &Job, time: Duration) {
        match job {
            Job::Records(part) => part.count_in(meters, time),
            _ => {
                meters.read(job.out(), self.read);
                meters.work(job.out(), time);
            }
        }
    }

    /// Counts a piece of `bytes` bytes that is handed to the writer.
    pub(super) fn keep(&mut self, bytes: usize) {
        self.kept = self.kept.saturating_add(bytes as u64).saturating_add(PIECE);
    }

    /// Reads a chunk and decodes it into `self.decoded`, in its stored shape and the layout's byte order.
    ///
    /// # Errors
    /// The errors of reading and decoding. Also if the reader does not have the chunk, although it listed the
    /// chunk as written.
    pub(super) fn decode(
        &mut self,
        reader: &dyn Reader,
        var: VarId,
        layout: &VariableLayout,
        grid: &ChunkGrid,
        chunk: u64,
    ) -> Result<()> {
        let pipeline = reader.pipeline(var)?;
        let bytes = if !pipeline.is_empty() {
            &mut self.encoded
        } else {
            &mut self.decoded
        };
        let filter_mask = match self.fetched.take_chunk(var, chunk) {
            Some(fetched) => fetched.map(|data| {
                *bytes = data.bytes;
                data.filter_mask
            }),
            None => reader.read_encoded_chunk_into(var, chunk, bytes)?,
        };
        let filter_mask = filter_mask.ok_or_else(lost)?;
        self.read += bytes.len() as u64;
        if !pipeline.is_empty() {
            return self.decode_encoded(reader, var, &pipeline, grid, chunk, filter_mask);
        }
        let own = grid.region(chunk);
        check_size(
            self.decoded.len(),
            chunk_size(layout, layout.stored_shape(&own.count))?,
        )
    }

    /// Decodes the chunk in `self.encoded` into `self.decoded`.
    pub(super) fn decode_encoded(
        &mut self,
        reader: &dyn Reader,
        var: VarId,
        pipeline: &Pipeline,
        grid: &ChunkGrid,
        chunk: u64,
        filter_mask: u32,
    ) -> Result<()> {
        let own = grid.region(chunk);
        let decoded = pipeline.decode_into(
            &self.encoded,
            filter_mask,
            chunk_shape(reader.layout(var), &own.count),
            &mut self.scratch,
            &mut self.decoded,
        );
        decoded.map_err(|e| reader.in_chunk_key(var, chunk, e))
    }

    /// Reads a region of a contiguous input into `out`, in the layout's byte order.
    pub(super) fn read_ranges(
        &mut self,
        reader: &dyn Reader,
        var: VarId,
        region: &Region,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let list = RangeList::new(reader.layout(var), region)?;
        list.read(out, |range, buf| {
            self.read += buf.len() as u64;
            match self.fetched.take_range(var, range) {
                Some(bytes) if bytes.len() == buf.len() => {
                    buf.copy_from_slice(&bytes);
                    Ok(())
                }
                _ => reader.read_range(var, range.offset, buf),
            }
        })
    }

    /// Encodes and writes one output chunk. A slab of a contiguous variable is written without encoding.
    pub(super) fn write_chunk(&mut self, target: &Target, chunk: u64, ticket: u64, data: Data) -> Result<()> {
        let layout = target.layout;
        let mut quantized = Vec::new();
        let data = match &target.var.quantizer {
            None => data,
            Some(quantizer) => {
                let region = target.grid.region(chunk);
                let shape = match layout.storage {
                    Storage::Chunked { .. } => target.grid.chunk(),
                    _ => &region.count,
                };
                match data {
                    Data::Owned(bytes) => std::mem::swap(&mut quantized, bytes),
                    Data::Borrowed(bytes) => quantized.extend_from_slice(bytes),
                }
                quantizer.region(&mut quantized, shape, &region.start)?;
                Data::Owned(&mut quantized)
            }
        };
        if !matches!(layout.storage, Storage::Chunked { .. }) {
            let region = target.grid.region(chunk);
            let offset = byte_offset(&layout.extent, &region.start, layout.element_size)?;
            let length = region
                .element_count()
                .and_then(|n| usize::try_from(n).ok()?.checked_mul(layout.element_size))
                .and_then(|n| data.bytes().get(..n));
            let slab = length.ok_or_else(|| Error::Internal("a slab of the wrong length".into()))?;
            return target.sink.write_range(target.var, offset, slab);
        }
        if target.var.skips_fill
            && self.skip_fill(target, chunk, ticket, data.bytes(), target.grid.chunk())?
        {
            return Ok(());
        }
        let own = target.grid.region(chunk);
        let shape = chunk_shape(layout, &own.count);
        let mut clipped = Vec::new();
        let data = match shape {
            ChunkShape::Full => data,
            ChunkShape::Clipped(count) => {
                clip(
                    data.bytes(),
                    target.grid.chunk(),
                    count,
                    layout.element_size,
                    &mut clipped,
                )?;
                Data::Owned(&mut clipped)
            }
        };
        let encoded = match data {
            data if !target.pipeline.is_empty() => {
                target.pipeline.encode(data.bytes(), shape, &mut self.scratch)?
            }
            Data::Owned(bytes) => EncodedChunk {
                bytes: std::mem::take(bytes),
                filter_mask: 0,
            },
            Data::Borrowed(bytes) => EncodedChunk {
                bytes: bytes.to_vec(),
                filter_mask: 0,
            },
        };
        self.keep(encoded.bytes.len());
        target
            .sink
            .write_encoded_chunk(ticket, target.var, chunk, encoded)
    }

    fn bytes(&mut self, engine: &Engine, var: &Variable, offset: u64, length: u64) -> Result<u64> {
        let (reader, source) = (engine.terms.reader, var.input().var);
        let swap = swap_between(reader.layout(source), &engine.terms.plans[var.out.0].layout);
        let size = usize::try_from(length).map_err(|_| Error::Internal("a range too long".into()))?;
        let range = ByteRange { offset, length: size };
        self.read += length;
        if let Some(mut bytes) = self.fetched.take_range(source, range) {
            swap_units(&mut bytes, swap);
            var.quantize_range(&mut bytes, offset);
            engine.sink.write_range(var, offset, &bytes)?;
            return Ok(length);
        }
        if self.decoded.len() < size {
            resize(&mut self.decoded, size)?;
        }
        let buffer = &mut self.decoded[..size];
        reader.read_range(source, offset, buffer)?;
        swap_units(buffer, swap);
        var.quantize_range(buffer, offset);
        engine.sink.write_range(var, offset, buffer)?;
        Ok(length)
    }
}

/// Fills `out` with the first `count` elements in each dimension of a chunk of shape `full`.
pub(super) fn clip(bytes: &[u8], full: &[u64], count: &[u64], size: usize, out: &mut Vec<u8>) -> Result<()> {
    let length =
        byte_count(count, size).ok_or_else(|| Error::Internal("a part larger than memory".into()))?;
    resize(out, length)?;
    let origin = vec![0; count.len()];
    copy_region(bytes, full, &origin, out, count, &origin, count, size, 1)
}

pub(super) fn lost() -> Error {
    Error::Damaged("a stored chunk cannot be found".into())
}

/// Fills `buffer` with `size` bytes of the values of unwritten input elements, in the output's byte order.
pub(super) fn fill_block(
    buffer: &mut Vec<u8>,
    size: usize,
    from: &VariableLayout,
    to: &VariableLayout,
) -> Result<()> {
    resize(buffer, size)?;
    let mut element = fill_element(from).to_vec();
    if element.len() != to.element_size {
        element = fill_element(to).to_vec();
    }
    swap_units(&mut element, swap_unit(to));
    fill_pattern(buffer, &element);
    Ok(())
}

/// Adds the chunk of a variable to an error.
pub(super) fn at_chunk(error: Error, layout: &VariableLayout, chunk: u64) -> Error {
    match &error {
        Error::Chunk { .. } | Error::Variable { .. } | Error::File { .. } => error,
        _ => match (
            &layout.storage,
            ChunkGrid::new(&layout.extent, layout.chunk_shape()),
        ) {
            (Storage::Chunked { .. }, Ok(grid)) => error.in_chunk(&grid.coordinates(chunk)),
            _ => error,
        },
    }
}
