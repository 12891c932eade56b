//! Reads a region of a variable whose elements are converted one by one: strings, sequences, compounds with
//! another layout in the file, and numbers in unusual formats.

use crate::chunk::{ChunkGrid, Region, byte_count, copy_region, fill_pattern, resize};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, Scratch};
use crate::format::netcdf4::read::datatype::convert::{Conversion, Heap};
use crate::format::netcdf4::read::object::links::OpenFile;
use crate::format::{Reader, Written};
use crate::model::{Storage, Values, VarId, VariableLayout};

/// Bytes of a contiguous variable that are read at once.
const SLAB: u64 = 8 << 20;

/// The elements of `region`. Elements that were never written, or lie past the extent, get `fill` (one
/// element).
pub(crate) fn read_region(
    reader: &dyn Reader,
    var: VarId,
    region: &Region,
    conversion: &Conversion,
    file: &OpenFile,
    fill: Option<&Values>,
) -> Result<Values> {
    let layout = reader.layout(var);
    if region.rank() != layout.extent.len() || region.count.len() != layout.extent.len() {
        return Err(Error::Damaged(format!(
            "a region of {} dimensions in a variable of {}",
            region.rank(),
            layout.extent.len()
        )));
    }
    let mut assembly = Assembly::new(region, conversion, file, fill)?;
    let Some(inside) = region.clip(&layout.extent).filter(|r| !r.is_empty()) else {
        return Ok(assembly.out);
    };
    match &layout.storage {
        Storage::Compact | Storage::Contiguous if reader.written(var)? == Written::Nothing => {}
        Storage::Chunked { shape } => from_chunks(reader, var, layout, shape, &inside, &mut assembly)?,
        Storage::Compact | Storage::Contiguous | Storage::Blocks { .. } => {
            from_ranges(reader, var, layout, &inside, &mut assembly)?;
        }
    }
    Ok(assembly.out)
}

/// The values of a region, while parts of it are added.
struct Assembly<'a> {
    region: &'a Region,
    conversion: &'a Conversion,
    heap: Heap<'a>,
    out: Values,
    /// Elements of a part as in the file, and converted.
    part: Vec<u8>,
    converted: Vec<u8>,
}

impl<'a> Assembly<'a> {
    /// Starts with fill values everywhere.
    fn new(
        region: &'a Region,
        conversion: &'a Conversion,
        file: &'a OpenFile,
        fill: Option<&Values>,
    ) -> Result<Self> {
        let size = byte_count(&region.count, conversion.memory_size)
            .ok_or_else(|| Error::Unsupported("a region larger than memory".into()))?;
        let mut bytes = Vec::new();
        resize(&mut bytes, size)?;
        let heap = Heap::new(file);
        let fill = match fill {
            Some(fill) => fill.clone(),
            None => Values::from_bytes(conversion.zero()?),
        };
        // Slots of the fill value point into its own heap, so that heap comes first.
        fill_pattern(&mut bytes, &fill.bytes);
        Ok(Self {
            region,
            conversion,
            heap,
            out: Values {
                bytes,
                heap: fill.heap,
            },
            part: Vec::new(),
            converted: Vec::new(),
        })
    }

    /// Adds the elements `wanted` from `piece`, which holds elements as in the file, with this shape and
    /// origin.
    fn add(&mut self, piece: &[u8], shape: &[u64], origin: &[u64], wanted: &Region) -> Result<()> {
        let too_large = || Error::Unsupported("a region larger than memory".into());
        let size = byte_count(&wanted.count, self.conversion.file_size).ok_or_else(too_large)?;
        let count = byte_count(&wanted.count, 1).ok_or_else(too_large)?;
        self.part.clear();
        resize(&mut self.part, size)?;
        let zeros = vec![0; wanted.rank()];
        copy_region(
            piece,
            shape,
            &wanted.relative_to(origin).start,
            &mut self.part,
            &wanted.count,
            &zeros,
            &wanted.count,
            self.conversion.file_size,
            1,
        )?;
        let mut values = Values {
            bytes: std::mem::take(&mut self.converted),
            heap: std::mem::take(&mut self.out.heap),
        };
        values.bytes.clear();
        let result = self.conversion.run(&self.part, count, &self.heap, &mut values);
        self.converted = values.bytes;
        self.out.heap = values.heap;
        result?;
        copy_region(
            &self.converted,
            &wanted.count,
            &zeros,
            &mut self.out.bytes,
            &self.region.count,
            &wanted.relative_to(&self.region.start).start,
            &wanted.count,
            self.conversion.memory_size,
            1,
        )
    }
}

fn from_chunks(
    reader: &dyn Reader,
    var: VarId,
    layout: &VariableLayout,
    shape: &[u64],
    inside: &Region,
    assembly: &mut Assembly<'_>,
) -> Result<()> {
    let grid = ChunkGrid::new(&layout.extent, shape)?;
    let pipeline = reader.pipeline(var)?;
    let mut scratch = Scratch::new();
    for index in grid.chunks_in(inside) {
        let wrap = |e: Error| e.in_chunk(&grid.coordinates(index));
        let Some(chunk) = reader.read_encoded_chunk(var, index).map_err(wrap)? else {
            continue;
        };
        let Some(wanted) = grid.region(index).intersect(inside) else {
            continue;
        };
        let _held = pipeline.hold(pipeline.decoded_size()).map_err(wrap)?;
        let decoded = pipeline
            .decode(chunk, ChunkShape::Full, &mut scratch)
            .map_err(wrap)?;
        assembly
            .add(&decoded, shape, &grid.origin(index), &wanted)
            .map_err(wrap)?;
    }
    Ok(())
}

/// Reads whole rows of the slowest dimensions: as many elements between the first and the last wanted one as
/// fit [`SLAB`].
fn from_ranges(
    reader: &dyn Reader,
    var: VarId,
    layout: &VariableLayout,
    inside: &Region,
    assembly: &mut Assembly<'_>,
) -> Result<()> {
    let element = layout.element_size as u64;
    let damaged = || Error::Damaged("a variable larger than can be addressed".into());
    // The dimensions before `level` are walked one by one. Several rows of `level` are read at once.
    let row = |level: usize| {
        layout.extent[level..]
            .iter()
            .try_fold(element, |n, d| n.checked_mul(*d))
    };
    let rank = layout.extent.len();
    let level = (0..rank)
        .find(|l| row(l + 1).is_some_and(|bytes| bytes <= SLAB))
        .unwrap_or(rank);
    let (rows, bytes_per_row) = if level == rank {
        (1, element)
    } else {
        let bytes = row(level + 1).ok_or_else(damaged)?.max(1);
        ((SLAB / bytes).max(1), bytes)
    };
    let outer = ChunkGrid::new(&inside.count[..level], &vec![1; level])?;
    let mut piece = Vec::new();
    for n in 0..outer.len() {
        let mut origin: Vec<u64> = inside.start[..level]
            .iter()
            .zip(outer.coordinates(n))
            .map(|(s, c)| s + c)
            .collect();
        let linear = origin
            .iter()
            .zip(&layout.extent)
            .try_fold(0u64, |o, (a, length)| o.checked_mul(*length)?.checked_add(*a))
            .ok_or_else(damaged)?;
        if level == rank {
            piece.resize(layout.element_size, 0);
            reader.read_range(var, linear.checked_mul(element).ok_or_else(damaged)?, &mut piece)?;
            let wanted = Region {
                start: origin.clone(),
                count: vec![1; rank],
            };
            assembly.add(&piece, &wanted.count, &origin, &wanted)?;
            continue;
        }
        origin.resize(rank, 0);
        let (first, end) = (inside.start[level], inside.start[level] + inside.count[level]);
        let mut at = first;
        while at < end {
            let count = rows.min(end - at);
            let offset = linear
                .checked_mul(layout.extent[level])
                .and_then(|n| n.checked_add(at))
                .and_then(|n| n.checked_mul(bytes_per_row))
                .ok_or_else(damaged)?;
            let size = count
                .checked_mul(bytes_per_row)
                .and_then(|n| usize::try_from(n).ok())
                .ok_or_else(damaged)?;
            piece.resize(size, 0);
            reader.read_range(var, offset, &mut piece)?;
            origin[level] = at;
            let mut shape = vec![1; rank];
            shape[level] = count;
            shape[level + 1..].copy_from_slice(&layout.extent[level + 1..]);
            let mut wanted = inside.clone();
            wanted.start[..=level].copy_from_slice(&origin[..=level]);
            wanted.count[..level].fill(1);
            wanted.count[level] = count;
            assembly.add(&piece, &shape, &origin, &wanted)?;
            at += count;
        }
    }
    Ok(())
}
