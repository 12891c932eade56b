//! [`VirtualVariable`], of which [`Presented`] is a view: a virtual variable as one of chunks, where its sources are stored alike.
//!
//! A chunk that lies in one source, at a place of its grid, is that source's chunk. Any other chunk is put together of
//! values, and told to have skipped all filters.

use std::sync::{Arc, OnceLock};

use super::selection::elements::Elements;
use super::source::source_facts::Facts;
use super::source::source_reader::SourceReader;
use super::source::virtual_storage::VirtualStorage;
use super::virtual_data::VirtualData;
use crate::chunk::{ChunkGrid, Region, byte_count, copy_region, fill_pattern, resize, swap_units};
use crate::error::{Error, Result};
use crate::format::read_region::swap_unit;
use crate::format::{EncodedChunk, StoredPlace, Written};
use crate::model::{Encoding, SharedLayout, Storage, Values, VariableLayout};
use crate::threads::{self, try_map};

/// Most mappings of which it is told which parts they fill.
const MOST_PARTS: usize = 4096;

/// Most chunks of a variable that is presented as one of chunks.
const MOST_CHUNKS: u64 = 1 << 22;

/// Most runs of elements of one mapping that are compared with a part that is asked for. With more, it counts as needed.
const MOST_RUNS: usize = 1 << 16;

/// Tells whether a part that is asked for needs any element of a region.
type Needs<'a> = dyn Fn(&Region) -> bool + Sync + 'a;

/// A virtual variable, as the engine sees it.
pub struct VirtualVariable {
    /// Its data.
    pub data: VirtualData,
    /// Its storage by the sources, once that was asked. `None` inside where they are stored in different ways.
    presented: OnceLock<Option<Presented>>,
}

/// The common storage of the sources.
struct Presented {
    layout: SharedLayout,
    written: Written,
}

/// A chunk of a source.
struct Passing {
    source: usize,
    chunk: u64,
}

/// How the sources store a chunk.
pub(super) enum Passed {
    /// This chunk of one source.
    Chunk(Arc<SourceReader>, u64),
    /// A chunk of one source that was never written, and reads as the fill value.
    Unwritten,
    /// No chunk of one source: it is put together of values.
    Not,
}

impl VirtualVariable {
    /// A variable of which no source was looked at.
    pub fn new(data: VirtualData) -> Self {
        Self {
            data,
            presented: OnceLock::new(),
        }
    }

    /// The storage by the sources, if [`VirtualVariable::resolve_sources`] found one.
    pub fn layout(&self) -> Option<&SharedLayout> {
        Some(&self.presented.get()?.as_ref()?.layout)
    }

    /// Opens all sources, or those that a part needs, to find out whether they are stored alike. With `goes_on`, sources
    /// that cannot be read are passed over.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    pub fn resolve_sources(
        &self,
        target: &VirtualStorage<'_>,
        needs: Option<&Needs<'_>>,
        goes_on: bool,
    ) -> Result<()> {
        if self.presented.get().is_some() {
            return Ok(());
        }
        if let Some(why) = self.data.broken() {
            return Err(why);
        }
        let needs = needs.unwrap_or(&|_| true);
        let presented = match self.common(target, needs, goes_on)? {
            Some(layout) => {
                let written = self.find_written(target, &layout, needs, goes_on)?;
                Some(Presented {
                    layout: SharedLayout::from(layout),
                    written,
                })
            }
            None => None,
        };
        let _ = self.presented.set(presented);
        Ok(())
    }

    /// The parts that are stored, of a variable with these lengths. Those of sources that are known to be missing are not.
    pub fn written(&self, extent: &[u64]) -> Written {
        if let Some(Some(presented)) = self.presented.get() {
            return presented.written.clone();
        }
        let whole = Region::whole(extent);
        let filled = self
            .data
            .mappings
            .iter()
            .flat_map(|mapping| self.data.filled(mapping));
        let mut parts: Vec<Region> = filled.filter_map(|filled| filled.intersect(&whole)).collect();
        if self.data.broken().is_some() || parts.len() > MOST_PARTS || parts.contains(&whole) {
            return Written::All;
        }
        parts.dedup();
        match parts.is_empty() {
            true => Written::Nothing,
            false => Written::Regions(parts),
        }
    }

    /// True for each source that is needed.
    fn needed_sources(&self, needs: &Needs<'_>) -> Vec<bool> {
        let mut needed = vec![false; self.data.sources().len()];
        for mapping in &self.data.mappings {
            let is_needed = || match needs(mapping.to.bounds()) {
                true => mapping.to.is_box() || any_run(&mapping.to, needs),
                false => false,
            };
            needed[mapping.source] = needed[mapping.source] || mapping.to.count() == 0 || is_needed();
        }
        needed
    }

    /// The layout with the chunks and filters that all needed sources have; `None` if they have different ones.
    fn common(
        &self,
        target: &VirtualStorage<'_>,
        needs: &Needs<'_>,
        goes_on: bool,
    ) -> Result<Option<VariableLayout>> {
        if target.layout.encoding == Encoding::Structured || target.layout.extent.is_empty() {
            return Ok(None);
        }
        let needed = self.needed_sources(needs);
        let mut sources: Vec<usize> = (0..needed.len()).collect();
        sources.retain(|source| needed[*source]);
        try_map(threads::count(), 1, &sources, |source| {
            match self.data.written(target, *source) {
                Err(e) if !goes_on || self.data.is_failure(&e) => Err(e),
                _ => Ok(()),
            }
        })?;
        let mut filters = None;
        let mut shape = None;
        for mapping in self.data.mappings.iter().filter(|mapping| needed[mapping.source]) {
            let known = self.data.facts(target, mapping.source).and_then(|facts| {
                let facts = facts.map(|facts| Ok((facts, self.data.from(mapping, facts)?)));
                facts.transpose()
            });
            let (facts, from) = match known {
                Ok(Some(known)) => known,
                Ok(None) => continue,
                Err(e) if goes_on && !self.data.is_failure(&e) => continue,
                Err(e) => return Err(e),
            };
            let chunked = matches!(facts.layout.storage, Storage::Chunked { .. });
            let known = filters.get_or_insert(&facts.layout.filters);
            if !facts.same_type || !chunked || *known != &facts.layout.filters {
                return Ok(None);
            }
            if shape.is_none() {
                shape = chunk_shape(&mapping.to, &from, facts);
            }
        }
        let (Some(filters), Some(shape)) = (filters, shape) else {
            return Ok(None);
        };
        let mut layout = target.layout.clone();
        let fits = |grid: ChunkGrid| grid.len() <= MOST_CHUNKS;
        if !ChunkGrid::new(&layout.extent, &shape).is_ok_and(fits)
            || byte_count(&shape, layout.element_size).is_none()
        {
            return Ok(None);
        }
        layout.filters.clone_from(filters);
        layout.storage = Storage::Chunked { shape };
        Ok(Some(layout))
    }

    /// The chunks that are stored. Those that are not needed count as stored, as their sources are not looked at.
    fn find_written(
        &self,
        target: &VirtualStorage<'_>,
        layout: &VariableLayout,
        needs: &Needs<'_>,
        goes_on: bool,
    ) -> Result<Written> {
        let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape())?;
        let mut stored = Vec::new();
        for chunk in 0..grid.len() {
            let region = grid.region(chunk);
            if !needs(&region) {
                stored.push(chunk);
                continue;
            }
            let needed = self.data.needed(target, &region, goes_on)?;
            let is_stored = match self.passing(target, layout, &region, &needed) {
                Ok(None) => Ok(!needed.is_empty()),
                Ok(Some(passing)) => self.is_stored(target, layout, &passing),
                Err(e) => Err(e),
            };
            let is_stored = match is_stored {
                // Reading the chunk tells the error.
                Err(e) if goes_on && !self.data.is_failure(&e) => true,
                is_stored => is_stored?,
            };
            if is_stored {
                stored.push(chunk);
            }
        }
        Ok(Written::of_chunks(stored, &grid))
    }

    /// False if a chunk of a source was never written and reads as the virtual variable's fill value.
    fn is_stored(
        &self,
        target: &VirtualStorage<'_>,
        layout: &VariableLayout,
        passing: &Passing,
    ) -> Result<bool> {
        let Some(facts) = self.data.facts(target, passing.source)? else {
            return Ok(false);
        };
        let is_written = match self.data.written(target, passing.source)? {
            None | Some(Written::Nothing) => false,
            Some(Written::Chunks(chunks)) => chunks.binary_search(&passing.chunk).is_ok(),
            Some(_) => true,
        };
        Ok(is_written || fill(&facts.layout) != fill(layout))
    }

    /// The only source of a region that is a chunk, if it is a chunk there too.
    fn passing(
        &self,
        target: &VirtualStorage<'_>,
        layout: &VariableLayout,
        region: &Region,
        needed: &[usize],
    ) -> Result<Option<Passing>> {
        let [number] = needed else { return Ok(None) };
        let mapping = &self.data.mappings[*number];
        let Some(facts) = self.data.facts(target, mapping.source)? else {
            return Ok(None);
        };
        let from = self.data.from(mapping, facts)?;
        // The layout is that of the sources which were looked at.
        let fits = facts.same_type
            && facts.layout.filters == layout.filters
            && mapping.to.bounds().contains(region)
            && chunk_shape(&mapping.to, &from, facts).as_deref() == Some(layout.chunk_shape());
        let Some(pairs) = pairs(&mapping.to, &from).filter(|_| fits) else {
            return Ok(None);
        };
        let grid = ChunkGrid::new(&facts.layout.extent, facts.layout.chunk_shape())?;
        let mut coordinates = Vec::with_capacity(pairs.len());
        for (e, pair) in pairs.iter().enumerate() {
            let start = from.bounds().start[e];
            let (first, count) = match pair {
                Some(d) => (
                    start + (region.start[*d] - mapping.to.bounds().start[*d]),
                    region.count[*d],
                ),
                None => (start, 1),
            };
            let chunk = grid.chunk()[e];
            if !first.is_multiple_of(chunk) || first + count > grid.extent()[e] {
                return Ok(None);
            }
            coordinates.push(first / chunk);
        }
        Ok(Some(Passing {
            source: mapping.source,
            chunk: grid.index(&coordinates),
        }))
    }

    /// A chunk as the sources store it, or put together of their values.
    ///
    /// # Errors
    /// A source cannot be read, or may not be; sources were not looked at.
    pub fn read_chunk(&self, target: &VirtualStorage<'_>, chunk: u64) -> Result<Option<EncodedChunk>> {
        let Some(layout) = self.layout() else {
            return Err(Error::Internal("a virtual variable that has no chunks".into()));
        };
        let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape())?;
        let region = grid.region(chunk);
        let needed = self.data.needed(target, &region, true)?;
        if needed.is_empty() {
            return Ok(None);
        }
        let stored = |passed| match passed {
            Passed::Chunk(source, chunk) => {
                let (reader, var) = source.reader();
                reader.read_encoded_chunk(var, chunk)
            }
            Passed::Unwritten | Passed::Not => Ok(None),
        };
        let passed = match self.passed(target, layout, &region, &needed) {
            Ok(Passed::Unwritten) => return Ok(None),
            passed => passed.and_then(stored),
        };
        match passed {
            Ok(None) => {}
            Ok(chunk) => return Ok(chunk),
            // Reading the values loses what cannot be read.
            Err(e) if self.data.fills_unreadable() && !self.data.is_failure(&e) => {}
            Err(e) => return Err(e),
        }
        let values = self.data.read(target, &region)?;
        self.assembled(layout, &region, values).map(Some)
    }

    /// Where a chunk of one source lies, in the file of that source. `None` for any other chunk.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    pub fn place_of_chunk(&self, target: &VirtualStorage<'_>, chunk: u64) -> Result<Option<StoredPlace>> {
        let Some(layout) = self.layout() else {
            return Ok(None);
        };
        let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape())?;
        let region = grid.region(chunk);
        let needed = self.data.needed(target, &region, false)?;
        match self.passed(target, layout, &region, &needed)? {
            Passed::Chunk(source, chunk) => {
                let (reader, var) = source.reader();
                reader.place_of_chunk(var, chunk)
            }
            Passed::Unwritten | Passed::Not => Ok(None),
        }
    }

    /// How the sources store a chunk.
    pub(super) fn passed(
        &self,
        target: &VirtualStorage<'_>,
        layout: &VariableLayout,
        region: &Region,
        needed: &[usize],
    ) -> Result<Passed> {
        let Some(passing) = self.passing(target, layout, region, needed)? else {
            return Ok(Passed::Not);
        };
        if !self.is_stored(target, layout, &passing)? {
            return Ok(Passed::Unwritten);
        }
        let Some(source) = self.data.source(target, passing.source)? else {
            return Ok(Passed::Not);
        };
        Ok(Passed::Chunk(source, passing.chunk))
    }

    /// Values of a chunk in its storage, without filters.
    fn assembled(&self, layout: &VariableLayout, region: &Region, values: Values) -> Result<EncodedChunk> {
        let shape = layout.chunk_shape();
        let mut bytes = values.bytes;
        swap_units(&mut bytes, swap_unit(layout));
        if region.count != shape {
            let size = byte_count(shape, layout.element_size)
                .ok_or_else(|| Error::Unsupported("a chunk larger than memory".into()))?;
            let mut whole = Vec::new();
            resize(&mut whole, size)?;
            if let Some(fill) = fill(layout) {
                let mut fill = fill.to_vec();
                swap_units(&mut fill, swap_unit(layout));
                fill_pattern(&mut whole, &fill);
            }
            let zeros = vec![0; shape.len()];
            copy_region(
                &bytes,
                &region.count,
                &zeros,
                &mut whole,
                shape,
                &zeros,
                &region.count,
                layout.element_size,
                1,
            )?;
            bytes = whole;
        }
        let all = u32::try_from(layout.filters.len())
            .ok()
            .and_then(|n| 1u32.checked_shl(n));
        Ok(EncodedChunk {
            bytes,
            filter_mask: all.unwrap_or(0).wrapping_sub(1),
        })
    }
}

/// True if a part needs any of these elements.
fn any_run(elements: &Elements, needs: &Needs<'_>) -> bool {
    let mut runs = 0;
    let found = elements.within(elements.bounds(), &mut |_, at, length| {
        let mut region = Region {
            start: at.to_vec(),
            count: vec![1; at.len()],
        };
        if let Some(count) = region.count.last_mut() {
            *count = length;
        }
        runs += 1;
        match needs(&region) || runs > MOST_RUNS {
            // An error ends the search.
            true => Err(Error::Internal("found".into())),
            false => Ok(()),
        }
    });
    found.is_err()
}

/// The fill value, if it is not zeros.
fn fill(layout: &VariableLayout) -> Option<&[u8]> {
    let value = layout.fill.value.as_ref()?;
    (!value.is_zero()).then_some(value.bytes.as_slice())
}

/// The dimension of the virtual dataset for each of the source's, where a box of one is a box of the other: lengths agree,
/// but for dimensions of one index. `None` if they do not agree.
pub(super) fn pairs(to: &Elements, from: &Elements) -> Option<Vec<Option<usize>>> {
    if !to.is_box() || !from.is_box() {
        return None;
    }
    let (to, from) = (&to.bounds().count, &from.bounds().count);
    let mut pairs = vec![None; from.len()];
    let (mut d, mut e) = (to.len(), from.len());
    while d > 0 || e > 0 {
        match (d.checked_sub(1), e.checked_sub(1)) {
            (Some(a), Some(b)) if to[a] == from[b] && (to[a] != 1 || d == e) => {
                pairs[b] = Some(a);
                (d, e) = (a, b);
            }
            (Some(a), _) if to[a] == 1 && (d > e || e == 0 || from[e - 1] != 1) => d = a,
            (_, Some(b)) if from[b] == 1 => e = b,
            _ => return None,
        }
    }
    Some(pairs)
}

/// The shape of a source's chunks in the virtual dataset; `None` where they have no such shape.
pub(super) fn chunk_shape(to: &Elements, from: &Elements, facts: &Facts) -> Option<Vec<u64>> {
    let Storage::Chunked { shape } = &facts.layout.storage else {
        return None;
    };
    let mut found = vec![1; to.rank()];
    for (pair, length) in pairs(to, from)?.into_iter().zip(shape) {
        match pair {
            Some(d) => found[d] = *length,
            None if *length == 1 => {}
            None => return None,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_pair_by_length() {
        let of = |to: &[u64], from: &[u64]| pairs(&Elements::all(to).unwrap(), &Elements::all(from).unwrap());
        assert_eq!(of(&[4, 5], &[4, 5]).unwrap(), [Some(0), Some(1)]);
        assert_eq!(of(&[1, 4, 5], &[4, 5]).unwrap(), [Some(1), Some(2)]);
        assert_eq!(of(&[4, 5], &[1, 4, 5]).unwrap(), [None, Some(0), Some(1)]);
        assert_eq!(of(&[4, 1, 5], &[4, 5]).unwrap(), [Some(0), Some(2)]);
        assert_eq!(of(&[1, 1], &[1, 1]).unwrap(), [Some(0), Some(1)]);
        assert_eq!(of(&[20], &[4, 5]), None);
        assert_eq!(of(&[5, 4], &[4, 5]), None);
    }
}
