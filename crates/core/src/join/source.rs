//! [`JoinSource`]: what a copy of a join reads.

use std::sync::Arc;

use super::merged::Merged;
use crate::error::{Error, Result};
use crate::filter::{EncodedChunk, Pipeline};
use crate::format::{
    ChunkPlace, ChunkReader, ElementCodecs, Extensions, Fetcher, OverSources, Reader, Region, StoredPlace,
    StoredPlaces, VirtualSources, Written,
};
use crate::model::{CodecSpec, Schema, SharedLayout, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Done, Requests};
use crate::subset::by_regions;

/// What a copy of a join reads, as its main reader: variables as the first input that has them stores them, and by regions those
/// whose values are made by the join or by a subset of it.
pub struct JoinSource<'a> {
    merged: &'a Merged,
    asked: &'a dyn Reader,
    /// Layouts of the variables that are read by regions of `asked`.
    by_values: Vec<Option<SharedLayout>>,
}

impl<'a> JoinSource<'a> {
    /// `asked` is the join itself, or a subset of it. Variables for which `is_made` holds are read from it.
    pub fn new(merged: &'a Merged, asked: &'a dyn Reader, is_made: impl Fn(VarId) -> bool) -> Self {
        let layout = |n| {
            let var = VarId(n);
            is_made(var).then(|| by_regions(asked.schema(), var, asked.layout(var)).into())
        };
        Self {
            merged,
            asked,
            by_values: (0..asked.schema().vars.len()).map(layout).collect(),
        }
    }

    fn layout_by_values(&self, var: VarId) -> Option<&SharedLayout> {
        self.by_values.get(var.0)?.as_ref()
    }

    /// The input that stores a variable, and the variable there.
    fn stored(&self, var: VarId) -> (&dyn Reader, VarId) {
        let (member, var) = self.merged.member(var);
        (&*member.first, var)
    }

    fn inputs(&self) -> impl Iterator<Item = &dyn Reader> {
        self.merged.members().iter().map(|member| &*member.first)
    }
}

impl Reader for JoinSource<'_> {
    fn schema(&self) -> &Schema {
        self.asked.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        if let Some(layout) = self.layout_by_values(var) {
            return layout;
        }
        let (input, var) = self.stored(var);
        input.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        if self.layout_by_values(var).is_some() {
            return Ok(Written::All);
        }
        let (input, var) = self.stored(var);
        input.written(var)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        if self.layout_by_values(var).is_some() {
            return Err(Error::Internal("a variable that is read by regions".into()));
        }
        let (input, var) = self.stored(var);
        input.read_range(var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        if self.layout_by_values(var).is_some() {
            return self.asked.read_region(var, region);
        }
        let (input, var) = self.stored(var);
        input.read_region(var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        let has = |has: fn(&Extensions) -> bool| self.inputs().any(|input| has(&input.extensions()));
        Extensions {
            chunks: has(|input| input.chunks.is_some()).then_some(self as &dyn ChunkReader),
            places: has(|input| input.places.is_some()).then_some(self as &dyn StoredPlaces),
            // Records of the first input are not those of the join.
            records: None,
            fetch: has(|input| input.fetch.is_some()).then_some(self as &dyn Fetcher),
            sources: has(|input| input.sources.is_some()).then_some(self as &dyn VirtualSources),
            // Each input tells of itself.
            files: None,
            elements: has(|input| input.elements.is_some()).then_some(self as &dyn ElementCodecs),
            check: None,
            changes: Some(self.merged),
            cache: None,
            space: None,
            stepped: None,
        }
    }
}

impl ChunkReader for JoinSource<'_> {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        let (input, var) = self.stored(var);
        input.pipeline(var)
    }

    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        let (input, var) = self.stored(var);
        input.stored_size(var, chunk)
    }

    fn chunk_place(&self, var: VarId, chunk: u64) -> Option<ChunkPlace> {
        let (input, var) = self.stored(var);
        input.chunk_place(var, chunk)
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        let (input, var) = self.stored(var);
        input.read_encoded_chunk_into(var, chunk, bytes)
    }
}

impl StoredPlaces for JoinSource<'_> {
    fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>> {
        let (input, var) = self.stored(var);
        input.place_of_chunk(var, chunk)
    }

    fn length_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<u64>> {
        let (input, var) = self.stored(var);
        input.length_of_chunk(var, chunk)
    }

    fn piece_of_bytes(&self, var: VarId) -> Result<Option<u64>> {
        let (input, var) = self.stored(var);
        input.piece_of_bytes(var)
    }

    fn place_of_bytes(&self, var: VarId, offset: u64, length: u64) -> Result<Option<StoredPlace>> {
        let (input, var) = self.stored(var);
        input.place_of_bytes(var, offset, length)
    }
}

impl Fetcher for JoinSource<'_> {
    fn requests(&self) -> Requests {
        self.stored(VarId(0)).0.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        let (input, var) = self.stored(var);
        input.fetch_chunks(var, chunks, done);
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        let (input, var) = self.stored(var);
        input.fetch_ranges(var, ranges, done);
    }
}

impl OverSources for JoinSource<'_> {
    fn below(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        let is_made = self.layout_by_values(var).is_some();
        (!is_made).then(|| self.stored(var))
    }

    /// None: each input tells of itself, and those of the pool may be closed.
    fn all_below(&self) -> Vec<&dyn Reader> {
        Vec::new()
    }
}

impl ElementCodecs for JoinSource<'_> {
    fn element_codec(&self, var: VarId) -> Option<&CodecSpec> {
        let (input, var) = self.below(var)?;
        input.element_codec(var)
    }
}
