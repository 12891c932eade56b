//! Copying a band of interleaved record variables: records are read as they lie in the input, many at once.
//!
//! ```text
//! records ─► read ─┬─► as they are ─► Writer::write_records          where the output interleaves them too
//!                  └─► transpose: one plane of records a variable
//!                        └─► chunks: encode ─► Writer                in the order variable, chunk
//!                        └─► Writer::write_range                     where the output is contiguous
//! ```

use crate::chunk::{Axis, ChunkGrid, copy_region, copy_strided, resize, swap_units};
use crate::copy::geometry::swap_between;
use crate::copy::jobs::{RecordJob, TRANSPOSED, decoded_chunk_bytes};
use crate::copy::run::chunk_data::Data;
use crate::copy::run::chunk_target::{ChunkTarget, fill_block};
use crate::copy::run::context::Context;
use crate::copy::run::worker::{Worker, at_chunk};
use crate::error::{Error, Result};
use crate::format::{RecordBlock, RecordSlab};
use crate::model::VariableLayout;

impl Worker {
    /// Copies a part of a band. Returns how many bytes of output variables that was.
    pub fn records(&mut self, context: &Context, part: &RecordJob) -> Result<u64> {
        let straight = part.members().iter().all(|member| {
            let var = &part.variables[member.variable];
            let from = context.terms.readers.main().layout(var.input().var);
            let to = &context.terms.plans[var.out.0].layout;
            member.across == 0 && context.sink.writer.interleaves(var.out) && swap_between(from, to) == 1
        });
        if straight {
            return self.pass_records(context, part);
        }
        let mut planes = std::mem::take(&mut self.block);
        let copied = self
            .read_planes(context, part, &mut planes)
            .and_then(|()| self.write_planes(context, part, &mut planes));
        self.block = planes;
        copied
    }

    /// Writes records as they are read.
    fn pass_records(&mut self, context: &Context, part: &RecordJob) -> Result<u64> {
        let bytes = part.bytes();
        let stride = size(bytes.end - bytes.start)?;
        let all = size(part.count())?.checked_mul(stride).ok_or_else(too_long)?;
        let fetched = self.fetched.take_records();
        let data = match &fetched {
            Some(fetched) => fetched.get(..all).ok_or_else(too_long)?,
            None => {
                if self.decoded.len() < all {
                    resize(&mut self.decoded, all)?;
                }
                let data = &mut self.decoded[..all];
                let reader = context.terms.readers.main();
                reader.read_records(part.records.start, bytes.clone(), data)?;
                data
            }
        };
        let slabs: Vec<_> = part
            .members()
            .iter()
            .map(|member| RecordSlab {
                var: part.variables[member.variable].out,
                offset: member.slab.offset - bytes.start,
                length: member.slab.length,
            })
            .collect();
        let block = RecordBlock {
            first: part.records.start,
            stride,
            slabs: &slabs,
            data,
        };
        context.sink.write_records(part.variable(), block)?;
        Ok(slabs.iter().map(|slab| slab.length).sum::<u64>() * part.count())
    }

    /// Reads records and makes one plane for each variable, one after another, in the input's byte order.
    fn read_planes(&mut self, context: &Context, part: &RecordJob, planes: &mut Vec<u8>) -> Result<()> {
        let bytes = part.bytes();
        let stride = size(bytes.end - bytes.start)?;
        let count = size(part.count())?;
        let slabs = part.members().iter().map(|m| m.slab.length).sum::<u64>();
        let all = size(slabs)?.checked_mul(count).ok_or_else(too_long)?;
        let at_once = (TRANSPOSED as usize / stride.max(1)).clamp(1, count.max(1));
        if planes.len() < all {
            resize(planes, all)?;
        }
        let fetched = self.fetched.take_records();
        if fetched.is_none() && self.decoded.len() < at_once * stride {
            resize(&mut self.decoded, at_once * stride)?;
        }
        let mut done = 0;
        while done < count {
            let now = at_once.min(count - done);
            let read = match &fetched {
                Some(fetched) => fetched
                    .get(done * stride..(done + now) * stride)
                    .ok_or_else(too_long)?,
                None => {
                    let read = &mut self.decoded[..now * stride];
                    let first = part.records.start + done as u64;
                    context
                        .terms
                        .readers
                        .main()
                        .read_records(first, bytes.clone(), read)?;
                    read
                }
            };
            let mut plane = 0;
            for member in part.members() {
                let length = member.slab.length as usize;
                let from = (member.slab.offset - bytes.start) as usize;
                self.axes.clear();
                self.axes.push(Axis {
                    count: now,
                    src: stride,
                    dst: length,
                });
                let to = plane + done * length;
                copy_strided(read, from, planes, to, &mut self.axes, length, 1)?;
                plane += count * length;
            }
            done += now;
        }
        Ok(())
    }

    fn write_planes(&mut self, context: &Context, part: &RecordJob, planes: &mut [u8]) -> Result<u64> {
        let count = size(part.count())?;
        let mut chunk = Vec::new();
        let mut sequence = part.first_sequence;
        let mut bytes = 0;
        let mut rest = planes;
        for member in part.members() {
            let var = &part.variables[member.variable];
            let (plane, behind) = rest.split_at_mut(count * member.slab.length as usize);
            rest = behind;
            let from = context.terms.readers.main().layout(var.input().var);
            let to = &context.terms.plans[var.out.0].layout;
            swap_units(plane, swap_between(from, to));
            if member.across == 0 {
                let offset = part.records.start * member.slab.length;
                var.quantize_range(plane, offset);
                context.sink.write_range(var, offset, plane)?;
                bytes += plane.len() as u64;
                continue;
            }
            let grid = ChunkGrid::new(&to.extent, to.chunk_shape())?;
            let target = ChunkTarget::of(context, var, &grid);
            let chunks = member.chunks(part.count());
            let first = part.records.start / member.chunk * member.across;
            for n in first..first + chunks {
                self.write_from_plane(part, plane, from, &target, n, sequence, &mut chunk)
                    .map_err(|e| at_chunk(e, to, n).in_variable(&var.name))?;
                sequence += 1;
            }
            bytes += chunks * decoded_chunk_bytes(to) as u64;
        }
        Ok(bytes)
    }

    /// Writes chunk `n`, whose records are all in `plane`. `buffer` is scratch space for a chunk that `plane`
    /// does not hold in one run.
    fn write_from_plane(
        &mut self,
        part: &RecordJob,
        plane: &[u8],
        from: &VariableLayout,
        target: &ChunkTarget,
        n: u64,
        sequence: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        let to = target.layout;
        let shape = target.grid.chunk();
        let inside = target.grid.region(n);
        let mut start = inside.start.clone();
        start[0] -= part.records.start;
        if inside.count == shape && shape[1..] == to.extent[1..] {
            let length = decoded_chunk_bytes(to);
            let begin = size(start[0])? * (length / size(shape[0])?);
            let data = plane.get(begin..begin + length).ok_or_else(too_long)?;
            return self.write_chunk(target, n, sequence, Data::Borrowed(data));
        }
        fill_block(buffer, decoded_chunk_bytes(to), from, to)?;
        let mut extent = to.extent.clone();
        extent[0] = part.count();
        let origin = vec![0; shape.len()];
        copy_region(
            plane,
            &extent,
            &start,
            buffer,
            shape,
            &origin,
            &inside.count,
            to.element_size,
            1,
        )?;
        // `Data::Borrowed` copies a chunk without filters, because the writer keeps its bytes.
        self.write_chunk(target, n, sequence, Data::Borrowed(buffer))
    }
}

fn size(n: u64) -> Result<usize> {
    usize::try_from(n).map_err(|_| too_long())
}

fn too_long() -> Error {
    Error::Internal("records that do not fit into memory".into())
}
