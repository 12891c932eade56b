//! Reads a region of a variable from chunks or byte ranges of a [`Reader`]: the part of
//! [`Reader::read_region`] that all formats share.

use super::Written;
use super::range_list::read_ranges;
use super::reader::Reader;
use crate::chunk::{ChunkGrid, ChunksIn, Region, byte_count, copy_region, fill_pattern, resize, swap_units};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, EncodedChunk, Scratch};
use crate::model::{EdgeChunks, Encoding, Endian, Storage, Values, VarId, VariableLayout};
use crate::store::awaited;

/// The elements of `region` of a variable whose encoding is not `Structured`, little-endian. Elements that
/// were never written, or lie past the variable's own extent, are fill values.
///
/// # Errors
/// If the region does not fit into memory, or reading or decoding fails. The error names the chunk.
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
        _ if reader.written(var)? == Written::Nothing => filled(size, layout)?,
        _ => from_ranges(reader, var, layout, region, &inside, size)?,
    };
    Ok(Values::from_bytes(bytes))
}

/// Size, in bytes, of the numbers whose bytes must be reversed between storage and [`Values`]; 1 if none.
pub fn swap_unit(layout: &VariableLayout) -> usize {
    match (layout.encoding, layout.endian) {
        (Encoding::Numbers { unit }, Endian::Big) => unit.max(1),
        _ => 1,
    }
}

/// The fill value, one element as in [`Values`]. Empty if unwritten elements are zeros.
pub fn fill_element(layout: &VariableLayout) -> &[u8] {
    match &layout.fill.value {
        Some(value) if !layout.fill.no_fill && value.bytes.len() == layout.element_size => &value.bytes,
        _ => &[],
    }
}

/// Bytes of a decoded chunk of `shape`.
///
/// # Errors
/// If the chunk does not fit into memory.
pub fn chunk_size(layout: &VariableLayout, shape: &[u64]) -> Result<usize> {
    byte_count(shape, layout.element_size)
        .ok_or_else(|| Error::Unsupported("a chunk larger than memory".into()))
}

/// The shape of a stored chunk, in the form that codecs need. `count` is the shape of its part within the
/// extent.
pub fn chunk_shape<'a>(layout: &VariableLayout, count: &'a [u64]) -> ChunkShape<'a> {
    match layout.edges {
        EdgeChunks::Clipped if count != layout.chunk_shape() => ChunkShape::Clipped(count),
        _ => ChunkShape::Full,
    }
}

fn allocate(size: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    resize(&mut bytes, size)?;
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
    let pipeline = reader.pipeline(var)?;
    let mut scratch = Scratch::new();
    let swap = swap_unit(layout);
    let mut out = None;
    for chunk in Chunks::new(reader, var, &grid, inside, chunk_size(layout, shape)?) {
        let (index, chunk) = chunk?;
        let wrap = |e: Error| e.in_chunk(&grid.coordinates(index));
        let Some(chunk) = chunk else {
            continue;
        };
        let own = grid.region(index);
        let shape = layout.stored_shape(&own.count);
        let _held = pipeline.hold(chunk_size(layout, shape)?).map_err(wrap)?;
        let mut decoded = pipeline
            .decode(chunk, chunk_shape(layout, &own.count), &mut scratch)
            .map_err(|e| wrap(reader.in_chunk_key(var, index, e)))?;
        let origin = grid.origin(index);
        if region.start == origin && region.count == shape && inside == region {
            swap_units(&mut decoded, swap);
            return Ok(decoded);
        }
        let Some(part) = own.intersect(inside) else {
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

/// Upper limit, in bytes, of decoded chunks that one region requests from a slow store at once.
const MOST_AT_ONCE: usize = 64 << 20;

/// The chunks that a region meets, with their bytes. Many are requested from a slow store at once.
struct Chunks<'a> {
    reader: &'a dyn Reader,
    var: VarId,
    grid: &'a ChunkGrid,
    left: ChunksIn<'a>,
    /// Number of chunks in one request; 1 if a thread should rather read by itself.
    batch: usize,
    there: std::vec::IntoIter<(u64, Option<EncodedChunk>)>,
}

impl<'a> Chunks<'a> {
    fn new(
        reader: &'a dyn Reader,
        var: VarId,
        grid: &'a ChunkGrid,
        region: &Region,
        chunk_size: usize,
    ) -> Self {
        let requests = reader.requests();
        let most = (MOST_AT_ONCE / chunk_size.max(1)).clamp(1, requests.in_flight.max(1));
        Self {
            reader,
            var,
            grid,
            left: grid.chunks_in(region),
            batch: if requests.ahead { most } else { 1 },
            there: Vec::new().into_iter(),
        }
    }
}

impl Iterator for Chunks<'_> {
    /// A chunk's number, and the chunk if it was written. The error of a single chunk names it. The error of a
    /// batch names a chunk if the reader knows which one failed.
    type Item = Result<(u64, Option<EncodedChunk>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.batch == 1 {
            let index = self.left.next()?;
            let read = self.reader.read_encoded_chunk(self.var, index);
            let named = read.map_err(|e| e.in_chunk(&self.grid.coordinates(index)));
            return Some(named.map(|chunk| (index, chunk)));
        }
        if let Some(next) = self.there.next() {
            return Some(Ok(next));
        }
        let asked: Vec<u64> = self.left.by_ref().take(self.batch).collect();
        if asked.is_empty() {
            return None;
        }
        let lost = || Error::Internal("a store gave no answer".into());
        let found = awaited(|done| self.reader.fetch_chunks(self.var, asked.clone(), done));
        match found.unwrap_or_else(|| Err(lost())) {
            Ok(found) => {
                let found: Vec<_> = asked.into_iter().zip(found).collect();
                self.there = found.into_iter();
                self.there.next().map(Ok)
            }
            Err(error) => Some(Err(error)),
        }
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
    let swap = swap_unit(layout);
    let mut stored = Vec::new();
    read_ranges(reader, var, inside, &mut stored)?;
    if inside == region {
        swap_units(&mut stored, swap);
        return Ok(stored);
    }
    let mut out = filled(size, layout)?;
    copy_region(
        &stored,
        &inside.count,
        &vec![0; inside.rank()],
        &mut out,
        &region.count,
        &inside.relative_to(&region.start).start,
        &inside.count,
        layout.element_size,
        swap,
    )?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::fill_pattern;
    use crate::filter::{ChunkType, Pipeline, Registry};
    use crate::format::reader::{ChunkPlace, ChunkReader, Extensions};
    use crate::model::{Fill, FillTime, Kind, Schema, Type};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// A variable of big-endian numbers whose element at linear position `i` of the extent is `i`. Chunks
    /// listed in `missing` were never written.
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
                    endian: Endian::Big,
                    fill: Fill {
                        value: Some(Values::from_bytes(FILL.to_le_bytes().to_vec())),
                        explicit: true,
                        no_fill: false,
                        time: FillTime::IfSet,
                        ..Fill::default()
                    },
                    ..VariableLayout::contiguous(extent.to_vec(), 4, Encoding::Numbers { unit: 4 })
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

        fn written(&self, _: VarId) -> Result<Written> {
            Ok(Written::All)
        }

        fn read_range(&self, _: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
            buf.copy_from_slice(&self.storage()[offset as usize..offset as usize + buf.len()]);
            Ok(())
        }

        fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
            read_region(self, var, region)
        }

        fn extensions(&self) -> Extensions<'_> {
            Extensions {
                chunks: Some(self),
                ..Extensions::NONE
            }
        }
    }

    impl ChunkReader for Model {
        fn pipeline(&self, _: VarId) -> Result<Arc<Pipeline>> {
            let chunk = ChunkType::new(&self.schema, Type::Int, &self.layout, self.layout.chunk_shape());
            Ok(Arc::new(Registry::builtin().bind(&self.layout.filters, &chunk)?))
        }

        fn stored_size(&self, _: VarId, _: u64) -> Option<u64> {
            None
        }

        fn chunk_place(&self, _: VarId, _: u64) -> Option<ChunkPlace> {
            None
        }

        fn read_encoded_chunk_into(&self, _: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
            if self.missing.contains(&chunk) {
                return Ok(None);
            }
            let shape = self.layout.chunk_shape();
            let grid = ChunkGrid::new(&self.layout.extent, shape)?;
            let region = grid.region(chunk);
            *bytes = vec![0; byte_count(shape, 4).unwrap()];
            fill_pattern(bytes, &[9]);
            copy_region(
                &self.storage(),
                &self.layout.extent,
                &region.start,
                bytes,
                shape,
                &vec![0; shape.len()],
                &region.count,
                4,
                1,
            )?;
            Ok(Some(0))
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
