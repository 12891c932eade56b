//! [`Source`]: what a copy of a subset reads.

use std::ops::Range;
use std::sync::Arc;

use super::reader::{CutVariable, Subset};
use crate::error::{Error, Result};
use crate::filter::{EncodedChunk, Pipeline};
use crate::format::{Reader, RecordLayout, Region, SourceFile, Written};
use crate::model::{CodecSpec, Schema, SharedLayout, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Done, Requests};

/// What a copy of a [`Subset`] reads: variables as the input stores them, of which [`Subset::selections`] tells what is
/// chosen. Variables without selections have the shape of the part.
pub struct Source<'p> {
    part: &'p Subset<'p>,
    input: &'p dyn Reader,
}

impl Subset<'_> {
    /// What a copy of the subset reads: the input's own chunks and ranges, for plans that [`Subset::selections`] completes.
    pub fn source(&self) -> Source<'_> {
        Source {
            part: self,
            input: self.input,
        }
    }
}

impl Source<'_> {
    /// The variable, if it is read by regions, and its layout.
    fn by_regions(&self, var: VarId) -> Option<(&CutVariable, &SharedLayout)> {
        let cut = self.part.cut_variable(var)?;
        Some((cut, cut.by_regions.as_ref()?))
    }
}

impl Reader for Source<'_> {
    fn schema(&self) -> &Schema {
        self.part.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        match self.by_regions(var) {
            Some((_, layout)) => layout,
            None => self.input.layout(var),
        }
    }

    fn resolve_sources(&self, var: VarId) -> Result<()> {
        self.part.resolve_sources(var)
    }

    fn is_virtual(&self, var: VarId) -> bool {
        self.input.is_virtual(var)
    }

    fn source_files(&self) -> Vec<SourceFile> {
        self.input.source_files()
    }

    fn data_warnings(&self) -> Vec<String> {
        self.input.data_warnings()
    }

    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        match self.by_regions(var) {
            Some(_) => Ok(Pipeline::empty()),
            None => self.input.pipeline(var),
        }
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let written = self.input.written(var)?;
        Ok(match (self.by_regions(var), written) {
            (Some(_), Written::Nothing) => Written::Nothing,
            (Some(_), _) => Written::All,
            (None, written) => written,
        })
    }

    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        self.input.stored_size(var, chunk)
    }

    fn chunk_key(&self, var: VarId, chunk: u64) -> Option<String> {
        self.input.chunk_key(var, chunk)
    }

    fn in_chunk_key(&self, var: VarId, chunk: u64, error: Error) -> Error {
        self.input.in_chunk_key(var, chunk, error)
    }

    fn element_codec(&self, var: VarId) -> Option<&CodecSpec> {
        self.input.element_codec(var)
    }

    fn requests(&self) -> Requests {
        self.input.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        self.input.fetch_chunks(var, chunks, done);
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        self.input.fetch_ranges(var, ranges, done);
    }

    fn read_encoded_chunk(&self, var: VarId, chunk: u64) -> Result<Option<EncodedChunk>> {
        self.input.read_encoded_chunk(var, chunk)
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        self.input.read_encoded_chunk_into(var, chunk, bytes)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        match self.by_regions(var) {
            Some(_) => Err(Error::Internal("a variable that is read by regions".into())),
            None => self.input.read_range(var, offset, buf),
        }
    }

    fn record_layout(&self) -> Option<RecordLayout> {
        let mut layout = self.input.record_layout()?;
        layout
            .slabs
            .retain(|slab| self.part.cut_variable(slab.var).is_none());
        Some(layout)
    }

    fn read_records(&self, first: u64, part: Range<u64>, buf: &mut [u8]) -> Result<()> {
        self.input.read_records(first, part, buf)
    }

    fn fetch_records(&self, first: u64, count: u64, part: Range<u64>, done: Done<Result<Vec<u8>>>) {
        self.input.fetch_records(first, count, part, done);
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        match self.by_regions(var) {
            Some((cut, _)) => self.part.gathered(var, cut, region),
            None => self.input.read_region(var, region),
        }
    }
}
