//! Reading a region of a variable through the chunks or ranges that a [`Reader`] gives: the part of
//! [`Reader::read_region`] that is the same for all formats.

use super::{EncodedChunk, Reader};
use crate::chunk::{ChunkGrid, Region, byte_count, copy_region, fill_pattern, swap_units};
use crate::error::{Error, Result};
use crate::filter::Context;
use crate::model::{Encoding, Endian, Storage, Values, VarId, VariableLayout};

/// Small pieces of a range closer together than this are read in one go.
const SPAN: usize = 1 << 20;

/// The elements of `region` of a variable whose encoding is not `Structured`, little-endian; fill where nothing was written,
/// also past the variable's own extent.
///
/// # Errors
/// Where the region does not fit into memory, and what reading and decoding find wrong (naming the chunk).
pub fn read_region(reader: &dyn Reader, var: VarId, region: &Region) -> Result<Values> {
    let layout = reader.layout(var);
    if region.rank() != layout.extent.len() || region.count.len() != layout.extent.len() {
        return Err(Error::Damaged(format!(
            "a region of {} dimensions in a variable of {}",
            region.rank(),
            layout.extent.len()
        )));
    }
    let size = byte_count(&region.count, layout.element_size)
        .ok_or_else(|| Error::Unsupported("a region larger than memory".into()))?;
    let Some(inside) = region.clip(&layout.extent).filter(|r| size > 0 && !r.is_empty()) else {
        return Ok(Values::from_bytes(filled(size, layout)?));
    };
    let bytes = match &layout.storage {
        Storage::Chunked { shape } => from_chunks(reader, var, layout, shape, region, &inside, size)?,
        _ if layout.allocated => from_ranges(reader, var, layout, region, &inside, size)?,
        _ => filled(size, layout)?,
    };
    Ok(Values::from_bytes(bytes))
}

/// The bytes of one number that must be reversed between storage and [`Values`]; 1 where none.
pub fn swap_unit(layout: &VariableLayout) -> usize {
    match (layout.encoding, layout.endian) {
        (Encoding::Numbers { unit }, Endian::Big) => unit.max(1),
        _ => 1,
    }
}

/// One element as [`Values`] has it that reads where nothing was written; empty where that is zeros.
pub fn fill_element(layout: &VariableLayout) -> &[u8] {
    match &layout.fill.value {
        Some(value) if !layout.fill.no_fill && value.bytes.len() == layout.element_size => &value.bytes,
        _ => &[],
    }
}

/// Decodes a chunk: `shape` elements in C order, in the layout's byte order.
///
/// # Errors
/// What a filter finds wrong, or a chunk of the wrong length.
pub fn decode_chunk(
    layout: &VariableLayout,
    shape: &[u64],
    edge: bool,
    chunk: EncodedChunk,
) -> Result<Vec<u8>> {
    let size = byte_count(shape, layout.element_size)
        .ok_or_else(|| Error::Unsupported("a chunk larger than memory".into()))?;
    let context = Context {
        element_size: layout.element_size,
        chunk_size: size,
    };
    let bytes = if edge && layout.edge_chunks_unfiltered {
        chunk.bytes
    } else {
        decode(layout, chunk, &context)?
    };
    if bytes.len() != size {
        return Err(Error::Damaged(format!("{} bytes, not {size}", bytes.len())));
    }
    Ok(bytes)
}

fn decode(layout: &VariableLayout, chunk: EncodedChunk, _context: &Context) -> Result<Vec<u8>> {
    let applied = |i: usize| i >= 32 || chunk.filter_mask >> i & 1 == 0;
    match layout.filters.iter().enumerate().find(|(i, _)| applied(*i)) {
        None => Ok(chunk.bytes),
        Some((_, filter)) => Err(Error::UnknownFilter {
            id: filter.id,
            name: filter.name.clone(),
        }),
    }
}

fn allocate(size: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(size)
        .map_err(|_| Error::Unsupported(format!("a region of {size} bytes, which memory does not hold,")))?;
    bytes.resize(size, 0);
    Ok(bytes)
}

fn filled(size: usize, layout: &VariableLayout) -> Result<Vec<u8>> {
    let mut bytes = allocate(size)?;
    let fill = fill_element(layout);
    if fill.iter().any(|b| *b != 0) {
        fill_pattern(&mut bytes, fill);
    }
    Ok(bytes)
}

fn from_chunks(
    reader: &dyn Reader,
    var: VarId,
    layout: &VariableLayout,
    shape: &[u64],
    region: &Region,
    inside: &Region,
    size: usize,
) -> Result<Vec<u8>> {
    let grid = ChunkGrid::new(&layout.extent, shape)?;
    let swap = swap_unit(layout);
    let mut out = None;
    for index in grid.chunks_in(inside) {
        let wrap = |e: Error| e.in_chunk(&grid.coordinates(index));
        let Some(chunk) = reader.read_encoded_chunk(var, index).map_err(wrap)? else {
            continue;
        };
        let mut decoded = decode_chunk(layout, shape, grid.is_edge(index), chunk).map_err(wrap)?;
        let origin = grid.origin(index);
        if region.start == origin && region.count == *shape && inside == region {
            swap_units(&mut decoded, swap);
            return Ok(decoded);
        }
        let Some(part) = grid.region(index).intersect(inside) else {
            continue;
        };
        let out = match &mut out {
            Some(out) => out,
            none => none.insert(filled(size, layout)?),
        };
        copy_region(
            &decoded,
            shape,
            &part.relative_to(&origin).start,
            out,
            &region.count,
            &part.relative_to(&region.start).start,
            &part.count,
            layout.element_size,
            swap,
        )
        .map_err(wrap)?;
    }
    match out {
        Some(out) => Ok(out),
        None => filled(size, layout),
    }
}

fn from_ranges(
    reader: &dyn Reader,
    var: VarId,
    layout: &VariableLayout,
    region: &Region,
    inside: &Region,
    size: usize,
) -> Result<Vec<u8>> {
    let element = layout.element_size;
    if byte_count(&layout.extent, 1).is_none() {
        return Err(Error::Damaged(
            "a variable with more elements than can be counted".into(),
        ));
    }
    let swap = swap_unit(layout);
    let rank = layout.extent.len();
    // Dimensions from `level` on are read at once: as many as are contiguous in storage, or nearly so.
    let mut level = rank;
    let mut span = element as u64;
    let mut stride = element as u64;
    for d in (0..rank).rev() {
        let length = (inside.count[d] - 1).saturating_mul(stride).saturating_add(span);
        let wanted = inside.count[d..]
            .iter()
            .fold(element as u64, |n, c| n.saturating_mul(*c));
        if length != wanted && (length > SPAN as u64 || length / 16 > wanted) {
            break;
        }
        level = d;
        span = length;
        stride = stride.saturating_mul(layout.extent[d]);
    }
    let whole = level == 0 && span == size as u64 && inside == region;
    if whole {
        let mut out = allocate(size)?;
        reader.read_range(
            var,
            byte_offset(&layout.extent, &inside.start, element)?,
            &mut out,
        )?;
        swap_units(&mut out, swap);
        return Ok(out);
    }
    let mut out = filled(size, layout)?;
    let span = usize::try_from(span).map_err(|_| Error::Unsupported("a region larger than memory".into()))?;
    let mut piece = allocate(span)?;
    let (src_strides, dst_strides) = (
        strides(&layout.extent, element)?,
        strides(&region.count, element)?,
    );
    let outer = ChunkGrid::new(&inside.count[..level], &vec![1; level])?;
    for n in 0..outer.len() {
        let mut at = inside.start.clone();
        for (a, c) in at.iter_mut().zip(outer.coordinates(n)) {
            *a += c;
        }
        reader.read_range(var, byte_offset(&layout.extent, &at, element)?, &mut piece)?;
        let dst_at = (0..rank).fold(0, |o, d| o + (at[d] - region.start[d]) as usize * dst_strides[d]);
        let mut axes = (level..rank)
            .map(|d| crate::chunk::Axis {
                count: inside.count[d] as usize,
                src: src_strides[d],
                dst: dst_strides[d],
            })
            .collect();
        crate::chunk::copy_strided(&piece, 0, &mut out, dst_at, &mut axes, element, swap)?;
    }
    Ok(out)
}

/// Bytes from one element to the next in each dimension of a row-major buffer.
fn strides(shape: &[u64], element: usize) -> Result<Vec<usize>> {
    let mut out = vec![0; shape.len()];
    let mut stride = element;
    for (s, length) in out.iter_mut().zip(shape).rev() {
        *s = stride;
        stride = usize::try_from(*length)
            .ok()
            .and_then(|n| stride.checked_mul(n))
            .ok_or_else(|| Error::Damaged("a variable larger than can be addressed".into()))?;
    }
    Ok(out)
}

/// Where an element begins in the storage of a contiguous variable.
fn byte_offset(extent: &[u64], at: &[u64], element: usize) -> Result<u64> {
    at.iter()
        .zip(extent)
        .try_fold(0u64, |o, (a, length)| o.checked_mul(*length)?.checked_add(*a))
        .and_then(|o| o.checked_mul(element as u64))
        .ok_or_else(|| Error::Damaged("a variable larger than can be addressed".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::fill_pattern;
    use crate::model::{Fill, FillTime, Kind, Schema};
    use proptest::prelude::*;

    /// One variable of big-endian numbers whose element at linear position `i` of the extent is `i`; chunks listed in
    /// `missing` were never written.
    struct Model {
        schema: Schema,
        layout: VariableLayout,
        missing: Vec<u64>,
    }

    const FILL: u32 = 0xFEED_0001;

    impl Model {
        fn new(extent: &[u64], chunk: Option<&[u64]>, missing: Vec<u64>) -> Self {
            Self {
                schema: Schema::new(Kind::Netcdf4),
                layout: VariableLayout {
                    storage: chunk.map_or(Storage::Contiguous, |c| Storage::Chunked { shape: c.to_vec() }),
                    extent: extent.to_vec(),
                    element_size: 4,
                    encoding: Encoding::Numbers { unit: 4 },
                    endian: Endian::Big,
                    filters: Vec::new(),
                    edge_chunks_unfiltered: false,
                    fill: Fill {
                        value: Some(Values::from_bytes(FILL.to_le_bytes().to_vec())),
                        explicit: true,
                        no_fill: false,
                        time: FillTime::IfSet,
                    },
                    allocated: true,
                },
                missing,
            }
        }

        fn storage(&self) -> Vec<u8> {
            let n: u64 = self.layout.extent.iter().product();
            (0..n as u32).flat_map(u32::to_be_bytes).collect()
        }
    }

    impl Reader for Model {
        fn schema(&self) -> &Schema {
            &self.schema
        }
        fn layout(&self, _: VarId) -> &VariableLayout {
            &self.layout
        }
        fn stored_chunks(&self, _: VarId) -> Result<Vec<u64>> {
            Ok(Vec::new())
        }
        fn stored_size(&self, _: VarId, _: u64) -> Result<Option<u64>> {
            Ok(None)
        }
        fn read_encoded_chunk(&self, _: VarId, chunk: u64) -> Result<Option<EncodedChunk>> {
            if self.missing.contains(&chunk) {
                return Ok(None);
            }
            let shape = self.layout.chunk_shape();
            let grid = ChunkGrid::new(&self.layout.extent, shape)?;
            let region = grid.region(chunk);
            let mut bytes = vec![0; byte_count(shape, 4).unwrap()];
            fill_pattern(&mut bytes, &[9]);
            copy_region(
                &self.storage(),
                &self.layout.extent,
                &region.start,
                &mut bytes,
                shape,
                &vec![0; shape.len()],
                &region.count,
                4,
                1,
            )?;
            Ok(Some(EncodedChunk {
                bytes,
                filter_mask: 0,
            }))
        }
        fn read_range(&self, _: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
            buf.copy_from_slice(&self.storage()[offset as usize..offset as usize + buf.len()]);
            Ok(())
        }
        fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
            read_region(self, var, region)
        }
    }

    #[test]
    fn a_region_of_the_wrong_rank_is_refused() {
        let model = Model::new(&[4], None, Vec::new());
        assert!(model.read_region(VarId(0), &Region::whole(&[4, 4])).is_err());
        assert!(model.read_region(VarId(0), &Region::whole(&[u64::MAX])).is_err());
    }

    #[test]
    fn an_empty_region_has_no_bytes() {
        let model = Model::new(&[4], Some(&[3]), Vec::new());
        assert!(
            model
                .read_region(VarId(0), &Region::whole(&[0]))
                .unwrap()
                .bytes
                .is_empty()
        );
    }

    proptest! {
        #[test]
        fn regions_hold_what_the_extent_holds_and_fill_beyond(
            dims in proptest::collection::vec((0u64..7, 1u64..5, 0u64..9, 0u64..6), 0..4),
            chunked in any::<bool>(),
            missing in proptest::collection::vec(0u64..8, 0..4),
        ) {
            let extent: Vec<_> = dims.iter().map(|d| d.0).collect();
            let chunk: Vec<_> = dims.iter().map(|d| d.1).collect();
            let region = Region {
                start: dims.iter().map(|d| d.2).collect(),
                count: dims.iter().map(|d| d.3).collect(),
            };
            let missing = if chunked { missing } else { Vec::new() };
            let model = Model::new(&extent, chunked.then_some(&chunk[..]), missing.clone());
            let grid = ChunkGrid::new(&region.count, &vec![1; dims.len()]).unwrap();
            let chunks = ChunkGrid::new(&extent, &chunk).unwrap();
            let expected: Vec<u8> = (0..grid.len()).flat_map(|i| {
                let at: Vec<u64> = grid.coordinates(i).iter().zip(&region.start).map(|(a, b)| a + b).collect();
                let of: Vec<u64> = at.iter().zip(&chunk).map(|(a, c)| a / c).collect();
                if at.iter().zip(&extent).any(|(a, e)| a >= e) || missing.contains(&chunks.index(&of)) {
                    FILL.to_le_bytes()
                } else {
                    (at.iter().zip(&extent).fold(0, |o, (a, e)| o * e + a) as u32).to_le_bytes()
                }
            }).collect();
            prop_assert_eq!(model.read_region(VarId(0), &region).unwrap().bytes, expected);
        }
    }
}
