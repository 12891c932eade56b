//! A thread's buffers, and the steps that all routes share: decode a chunk, read ranges, encode and write a chunk.

use std::sync::Arc;

use super::chunk_data::Data;
use super::chunk_target::{ChunkTarget, clip};
use super::fetch::Fetched;
use super::input_access::InputAccess;
use super::meters::Passed;
use super::skip_fill::skip_fill;
use crate::chunk::{Axis, ChunkGrid, Region};
use crate::copy::geometry::InputVariable;
use crate::copy::jobs::{Job, PIECE};
use crate::error::{Alternative, Error, Result};
use crate::filter::Scratch;
use crate::filter::pipeline::check_size;
use crate::filter::{ChunkShape, Pipeline};
use crate::format::EncodedChunk;
use crate::format::range_list::{RangeList, byte_offset};
use crate::format::read_region::{chunk_shape, chunk_size};
use crate::model::{Storage, VarId, VariableLayout};

/// A thread's buffers, reused from job to job.
#[derive(Default)]
pub struct Worker {
    scratch: Scratch,
    /// Input that was fetched for the job.
    pub fetched: Fetched,
    /// A piece of input as stored.
    pub encoded: Vec<u8>,
    /// A decoded piece of input.
    pub decoded: Vec<u8>,
    /// A chunk or block of output.
    pub block: Vec<u8>,
    /// Scratch space of strided copies.
    pub axes: Vec<Axis>,
    /// The variable of the previous job.
    variable: Option<VarId>,
    /// The input whose chunks were tested last, and its codecs.
    tested: Option<(InputVariable, Arc<Pipeline>)>,
    /// Bytes of memory that the current job handed to the writer, to be written in sequence order.
    pub kept: u64,
    /// Bytes that the current job read, as stored in the input.
    pub read: u64,
    /// Encoded chunks that the current job passed.
    pub passed: Passed,
}

impl Worker {
    /// Prepares for a job. If its variable differs from the previous one, frees the memory of buffers larger
    /// than `most` bytes.
    pub fn turn_to(&mut self, job: &Job, most: u64) {
        self.kept = 0;
        self.read = 0;
        self.passed = Passed::default();
        if self.variable.replace(job.out()) == Some(job.out()) {
            return;
        }
        self.tested = None;
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

    /// Counts a piece of `bytes` bytes that is handed to the writer.
    pub fn keep(&mut self, bytes: usize) {
        self.kept = self.kept.saturating_add(bytes as u64).saturating_add(PIECE);
    }

    /// Reads a chunk and decodes it into `self.decoded`, in its stored shape and the layout's byte order.
    ///
    /// # Errors
    /// The errors of reading and decoding. Also if the reader does not have the chunk, although it listed the
    /// chunk as written.
    pub fn decode(&mut self, source: InputAccess, grid: &ChunkGrid, chunk: u64) -> Result<()> {
        let pipeline = source.pipeline()?;
        let bytes = if !pipeline.is_empty() {
            &mut self.encoded
        } else {
            &mut self.decoded
        };
        let filter_mask = match self.fetched.take_chunk(source.id(), chunk) {
            Some(fetched) => fetched.map(|data| {
                *bytes = data.bytes;
                data.filter_mask
            }),
            None => source
                .open()?
                .read_encoded_chunk_into(source.var(), chunk, bytes)
                .map_err(|e| source.named_chunk(chunk, e))?,
        };
        let filter_mask = filter_mask.ok_or_else(lost)?;
        self.read += bytes.len() as u64;
        if !pipeline.is_empty() {
            return self.decode_encoded(source, &pipeline, grid, chunk, filter_mask);
        }
        let own = grid.region(chunk);
        let layout = source.layout();
        check_size(
            self.decoded.len(),
            chunk_size(layout, layout.stored_shape(&own.count))?,
        )
    }

    /// Tests a chunk that passes encoded, and counts how. `grid` is the input's.
    ///
    /// # Errors
    /// A damaged chunk, with the ways to copy it or the rest all the same.
    pub fn test(
        &mut self,
        source: InputAccess,
        grid: &ChunkGrid,
        chunk: u64,
        data: &EncodedChunk,
    ) -> Result<()> {
        let pipeline = match &self.tested {
            Some((of, pipeline)) if *of == source.id() => pipeline,
            _ => &self.tested.insert((source.id(), source.pipeline()?)).1,
        };
        let own = grid.region(chunk);
        let shape = chunk_shape(source.layout(), &own.count);
        let (scratch, out) = (&mut self.scratch, &mut self.decoded);
        let tested = pipeline.test(&data.bytes, data.filter_mask, shape, scratch, out);
        let tested = tested.map_err(|error| {
            let error = match pipeline.is_empty() {
                // A chunk of another size becomes part of no other dataset.
                true => error,
                false => Error::Alternative {
                    why: error.to_string(),
                    alternative: Alternative::SoundChunks,
                },
            };
            source.in_chunk_key(chunk, error)
        })?;
        self.passed.add(tested);
        Ok(())
    }

    /// Decodes the chunk in `self.encoded` into `self.decoded`.
    pub fn decode_encoded(
        &mut self,
        source: InputAccess,
        pipeline: &Pipeline,
        grid: &ChunkGrid,
        chunk: u64,
        filter_mask: u32,
    ) -> Result<()> {
        let own = grid.region(chunk);
        let decoded = pipeline.decode_into(
            &self.encoded,
            filter_mask,
            chunk_shape(source.layout(), &own.count),
            &mut self.scratch,
            &mut self.decoded,
        );
        decoded.map_err(|e| source.in_chunk_key(chunk, e))
    }

    /// Reads a region of a contiguous input into `out`, in the layout's byte order.
    pub fn read_ranges(&mut self, source: InputAccess, region: &Region, out: &mut Vec<u8>) -> Result<()> {
        let list = RangeList::new(source.layout(), region)?;
        list.read(out, |range, buf| {
            self.read += buf.len() as u64;
            match self.fetched.take_range(source.id(), range) {
                Some(bytes) if bytes.len() == buf.len() => {
                    buf.copy_from_slice(&bytes);
                    Ok(())
                }
                _ => source
                    .open()?
                    .read_range(source.var(), range.offset, buf)
                    .map_err(|e| source.named(e)),
            }
        })
    }

    /// Encodes and writes one output chunk. A slab of a contiguous variable is written without encoding.
    pub fn write_chunk(&mut self, target: &ChunkTarget, chunk: u64, sequence: u64, data: Data) -> Result<()> {
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
        if target.var.skips_fill && skip_fill(target, chunk, sequence, data.bytes(), target.grid.chunk())? {
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
            .write_encoded_chunk(sequence, target.var, chunk, encoded)
    }
}

pub fn lost() -> Error {
    Error::Damaged("a stored chunk cannot be found".into())
}

/// Adds the chunk of a variable to an error.
pub fn at_chunk(error: Error, layout: &VariableLayout, chunk: u64) -> Error {
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
