//! [`Salvage`]: a damaged dataset as it is without what is lost.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::check::{Checked, Lost};
use crate::chunk::{ChunkGrid, Region, byte_count, copy_region, fill_pattern, resize, swap_units};
use crate::error::{Error, Result};
use crate::filter::Scratch;
use crate::filter::pipeline::ALL_SKIPPED;
use crate::filter::{EncodedChunk, Pipeline};
use crate::format::read_region::{self, chunk_shape, fill_element, swap_unit};
use crate::format::{
    ChunkPlace, ChunkReader, Extensions, Fetcher, Needs, OverSources, Reader, Region as ReadRegion, Written,
    WrittenChunks, read_ranges,
};
use crate::model::{Encoding, Schema, Storage, Values, VarId, VariableLayout, move_heap};
use crate::store::{ByteRange, Done, Requests};

/// Most chunks of a variable that are listed to leave out lost ones.
const MOST_LISTED: u64 = 1 << 24;

/// A reader of what can be read of a damaged dataset. What is lost was never written: it reads as fill values.
pub struct Salvage<'a> {
    input: &'a dyn Reader,
    schema: Schema,
    lost: HashMap<VarId, LostParts>,
}

#[derive(Default)]
struct LostParts {
    all: bool,
    chunks: HashSet<u64>,
    /// Chunks whose checksum disagrees, which are kept.
    suspect: HashSet<u64>,
    /// Chunks that no codec could decode, which are kept as they are.
    unchecked: HashSet<u64>,
    /// True if no codec of the variable is asked for, as one is not known.
    without_codecs: bool,
    bytes: Vec<Range<u64>>,
}

impl<'a> Salvage<'a> {
    /// What is left of `input`, which was checked. `keeps_suspect` keeps chunks whose only fault is a checksum. Chunks of codecs that
    /// are not known are kept as they are.
    pub fn new(input: &'a dyn Reader, checked: &Checked, keeps_suspect: bool) -> Self {
        let mut schema = input.schema().clone();
        schema.faults.clear();
        schema.replaced.clear();
        schema.refused.clear();
        let mut lost: HashMap<VarId, LostParts> = HashMap::new();
        for loss in &checked.losses {
            let parts = lost.entry(loss.var).or_default();
            match &loss.part {
                Lost::Chunk(chunk) if loss.only_checksum && keeps_suspect => {
                    parts.suspect.insert(*chunk);
                }
                Lost::Chunk(chunk) if loss.is_unchecked => {
                    parts.unchecked.insert(*chunk);
                }
                Lost::Chunk(chunk) => {
                    parts.chunks.insert(*chunk);
                }
                Lost::Bytes(range) => parts.bytes.push(range.clone()),
                // Elements are tried again when they are read. Those of other datasets are then fill values.
                Lost::Region(_) => {}
                Lost::All => parts.all = true,
            }
        }
        input.fill_unreadable();
        Self { input, schema, lost }
    }

    /// The variables with chunks that could not be checked.
    pub fn unchecked(&self) -> impl Iterator<Item = VarId> + '_ {
        let unchecked = |(var, parts): (&VarId, &LostParts)| (!parts.unchecked.is_empty()).then_some(*var);
        self.lost.iter().filter_map(unchecked)
    }

    /// Number of chunks of a variable that have a fault and are kept.
    pub fn kept(&self, var: VarId) -> usize {
        let parts = self.lost.get(&var);
        parts.map_or(0, |parts| parts.suspect.len() + parts.unchecked.len())
    }

    /// Leaves out all data of a variable with chunks that could not be checked, where they cannot pass as they are.
    pub fn lose_unchecked(&mut self, var: VarId) {
        if let Some(parts) = self.lost.get_mut(&var) {
            parts.unchecked.clear();
            (parts.all, parts.without_codecs) = (true, true);
        }
    }

    /// Elements that can only be read as values. Those of lost chunks, and those past the extent, are fill values.
    fn structured(&self, var: VarId, parts: &LostParts, region: &Region) -> Result<Values> {
        let layout = self.layout(var);
        let Storage::Chunked { shape } = &layout.storage else {
            return self.as_far_as_read(var, region);
        };
        let grid = ChunkGrid::new(&layout.extent, shape)?;
        if !grid.chunks_in(region).any(|chunk| parts.chunks.contains(&chunk)) {
            return self.as_far_as_read(var, region);
        }
        let ty = self.schema.var(var).ty;
        let size = self.schema.type_size(ty);
        let length = byte_count(&region.count, size)
            .ok_or_else(|| Error::Unsupported("a region larger than memory".into()))?;
        let mut values = self.fill(var);
        let one = std::mem::take(&mut values.bytes);
        resize(&mut values.bytes, length)?;
        fill_pattern(&mut values.bytes, &one);
        for chunk in grid
            .chunks_in(region)
            .filter(|chunk| !parts.chunks.contains(chunk))
        {
            let Some(part) = grid.region(chunk).intersect(region) else {
                continue;
            };
            let mut more = self.as_far_as_read(var, &part)?;
            for element in more.bytes.chunks_exact_mut(size.max(1)) {
                move_heap(&self.schema, ty, element, &more.heap, &mut values.heap);
            }
            copy_region(
                &more.bytes,
                &part.count,
                &vec![0; part.rank()],
                &mut values.bytes,
                &region.count,
                &part.relative_to(&region.start).start,
                &part.count,
                size,
                1,
            )?;
        }
        Ok(values)
    }

    /// The fill value, as one element.
    fn fill(&self, var: VarId) -> Values {
        let ty = self.schema.var(var).ty;
        let fill = self.layout(var).fill.value.clone();
        fill.filter(|fill| fill.bytes.len() == self.schema.type_size(ty))
            .unwrap_or_else(|| nothing(&self.schema, ty))
    }

    /// Elements that can only be read as values. Where a region cannot be read, its halves are.
    fn as_far_as_read(&self, var: VarId, region: &Region) -> Result<Values> {
        let error = match self.input.read_region(var, region) {
            Ok(values) => return Ok(values),
            Err(error) if error.is_failure() => return Err(error),
            Err(error) => error,
        };
        let ty = self.schema.var(var).ty;
        let size = self.schema.type_size(ty);
        let Some(at) = region.count.iter().position(|n| *n > 1) else {
            return match region.is_empty() {
                true => Err(error),
                false => Ok(self.fill(var)),
            };
        };
        let mut halves = [region.clone(), region.clone()];
        let half = region.count[at] / 2;
        halves[0].count[at] = half;
        halves[1].start[at] += half;
        halves[1].count[at] -= half;
        let mut values = self.as_far_as_read(var, &halves[0])?;
        let mut more = self.as_far_as_read(var, &halves[1])?;
        for element in more.bytes.chunks_exact_mut(size.max(1)) {
            move_heap(&self.schema, ty, element, &more.heap, &mut values.heap);
        }
        values.bytes.extend_from_slice(&more.bytes);
        Ok(values)
    }
}

/// One element of zeros, NIL and empty sequences.
fn nothing(schema: &Schema, ty: crate::model::Type) -> Values {
    let mut values = Values::from_bytes(vec![0; schema.type_size(ty)]);
    let mut heap = Vec::new();
    // A slot that points outside of a heap becomes NIL.
    for byte in &mut values.bytes {
        *byte = if schema.has_heap(ty) { 0xff } else { 0 };
    }
    move_heap(schema, ty, &mut values.bytes, &[], &mut heap);
    values
}

impl Reader for Salvage<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        self.input.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let Some(parts) = self.lost.get(&var) else {
            return self.input.written(var);
        };
        if parts.all {
            return Ok(Written::Nothing);
        }
        let layout = self.layout(var);
        let written = self.input.written(var)?;
        let Storage::Chunked { shape } = &layout.storage else {
            let total = read_region::chunk_size(layout, &layout.extent)? as u64;
            let lost: u64 = parts.bytes.iter().map(|range| range.end - range.start).sum();
            return Ok(if lost >= total && total > 0 {
                Written::Nothing
            } else {
                written
            });
        };
        let grid = ChunkGrid::new(&layout.extent, shape)?;
        let chunks = written.chunks(&grid);
        if matches!(chunks, WrittenChunks::All(count) if count > MOST_LISTED) {
            return Err(Error::Unsupported(format!(
                "leaving out the lost ones of {} chunks, in a store that does not list them,",
                chunks.len()
            )));
        }
        let left = chunks.into_iter().filter(|chunk| !parts.chunks.contains(chunk));
        Ok(Written::of_chunks(left.collect(), &grid))
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let Some(parts) = self.lost.get(&var).filter(|parts| !parts.bytes.is_empty()) else {
            return self.input.read_range(var, offset, buf);
        };
        let layout = self.layout(var);
        let mut fill = fill_element(layout).to_vec();
        swap_units(&mut fill, swap_unit(layout));
        let end = offset.saturating_add(buf.len() as u64);
        let mut at = offset;
        // The lost ranges lie in order, and begin and end between elements.
        for lost in parts
            .bytes
            .iter()
            .filter(|lost| lost.start < end && lost.end > offset)
        {
            let (from, to) = (lost.start.max(at), lost.end.min(end));
            if from > at {
                let good = &mut buf[(at - offset) as usize..(from - offset) as usize];
                self.input.read_range(var, at, good)?;
            }
            let bad = &mut buf[(from - offset) as usize..(to - offset) as usize];
            bad.fill(0);
            let unit = fill.len() as u64;
            if unit > 0 {
                let turn = ((from - lost.start) % unit) as usize;
                let mut turned = fill.clone();
                turned.rotate_left(turn);
                fill_pattern(bad, &turned);
            }
            at = to;
        }
        match at < end {
            true => self.input.read_range(var, at, &mut buf[(at - offset) as usize..]),
            false => Ok(()),
        }
    }

    fn read_region(&self, var: VarId, region: &ReadRegion) -> Result<Values> {
        let Some(parts) = self.lost.get(&var) else {
            return self.input.read_region(var, region);
        };
        match self.layout(var).encoding {
            Encoding::Structured if parts.all => Err(Error::Damaged("all of its data is lost".into())),
            Encoding::Structured => self.structured(var, parts, region),
            _ => read_region::read_region(self, var, region),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            // What is left of a chunk is not what is stored.
            places: None,
            records: self.input.extensions().records.filter(|_| self.lost.is_empty()),
            fetch: Some(self),
            sources: Some(self),
            files: self.input.extensions().files,
            elements: self.input.extensions().elements,
            check: None,
            changes: self.input.extensions().changes,
            cache: None,
            space: None,
            stepped: None,
        }
    }
}

impl ChunkReader for Salvage<'_> {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        match self.lost.get(&var) {
            Some(parts) if parts.without_codecs => Ok(Pipeline::empty()),
            _ => self.input.pipeline(var),
        }
    }

    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        self.input.stored_size(var, chunk)
    }

    fn chunk_place(&self, var: VarId, chunk: u64) -> Option<ChunkPlace> {
        self.input.chunk_place(var, chunk)
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        let parts = self.lost.get(&var);
        if parts.is_some_and(|parts| parts.all || parts.chunks.contains(&chunk)) {
            return Ok(None);
        }
        let mask = self.input.read_encoded_chunk_into(var, chunk, bytes)?;
        let (Some(filter_mask), true) = (mask, parts.is_some_and(|parts| parts.suspect.contains(&chunk)))
        else {
            return Ok(mask);
        };
        let layout = self.layout(var);
        let own = ChunkGrid::new(&layout.extent, layout.chunk_shape())?.region(chunk);
        let encoded = std::mem::take(bytes);
        let shape = chunk_shape(layout, &own.count);
        let (pipeline, mut scratch) = (self.pipeline(var)?, Scratch::new());
        pipeline.decode_unverified(&encoded, filter_mask, shape, &mut scratch, bytes)?;
        // A chunk that skipped all codecs is encoded anew, with a checksum that fits.
        Ok(Some(ALL_SKIPPED))
    }
}

impl Fetcher for Salvage<'_> {
    fn requests(&self) -> Requests {
        self.input.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        let Some(parts) = self.lost.get(&var) else {
            return self.input.fetch_chunks(var, chunks, done);
        };
        if parts.all || chunks.iter().any(|chunk| parts.suspect.contains(chunk)) {
            return (self as &dyn Reader).read_chunks_in_turn(var, &chunks, done);
        }
        let lost: Vec<bool> = chunks.iter().map(|chunk| parts.chunks.contains(chunk)).collect();
        let left = chunks.into_iter().filter(|chunk| !parts.chunks.contains(chunk));
        let with_lost = move |found: Vec<Option<EncodedChunk>>| {
            let mut found = found.into_iter();
            let one = |lost| if lost { None } else { found.next().flatten() };
            lost.into_iter().map(one).collect()
        };
        let all = move |found: Result<Vec<_>>| done(found.map(with_lost));
        self.input.fetch_chunks(var, left.collect(), Box::new(all));
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        match self.lost.get(&var) {
            Some(parts) if !parts.bytes.is_empty() => {
                done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf)))
            }
            _ => self.input.fetch_ranges(var, ranges, done),
        }
    }
}

impl OverSources for Salvage<'_> {
    fn below(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        Some((self.input, var))
    }

    fn all_below(&self) -> Vec<&dyn Reader> {
        vec![self.input]
    }

    fn resolve_below(&self, var: VarId, needs: Option<&Needs<'_>>) -> Result<()> {
        match (self.lost.get(&var), self.input.extensions().sources) {
            (Some(parts), _) if parts.all => Ok(()),
            (_, sources) => sources.map_or(Ok(()), |sources| sources.resolve(var, needs)),
        }
    }
}

#[cfg(test)]
mod tests;
