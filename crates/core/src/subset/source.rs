//! [`SubsetSource`]: what a copy of a subset reads.

use std::ops::Range;

use super::reader::{CutVariable, Subset};
use crate::error::{Error, Result};
use crate::format::{Extensions, Reader, RecordLayout, RecordReader, Region, Written};
use crate::model::{Schema, SharedLayout, Values, VarId, VariableLayout};
use crate::store::Done;

/// What a copy of a [`Subset`] reads: variables as the input stores them, of which [`Subset::selections`] tells what is
/// chosen. Variables without selections have the shape of the part.
pub struct SubsetSource<'p> {
    part: &'p Subset<'p>,
    input: &'p dyn Reader,
}

impl Subset<'_> {
    /// What a copy of the subset reads: the input's own chunks and ranges, for plans that [`Subset::selections`] completes.
    pub fn source(&self) -> SubsetSource<'_> {
        SubsetSource {
            part: self,
            input: self.input,
        }
    }
}

impl SubsetSource<'_> {
    /// The variable, if it is read by regions, and its layout.
    fn by_regions(&self, var: VarId) -> Option<(&CutVariable, &SharedLayout)> {
        let cut = self.part.cut_variable(var)?;
        Some((cut, cut.by_regions.as_ref()?))
    }
}

impl Reader for SubsetSource<'_> {
    fn schema(&self) -> &Schema {
        self.part.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        match self.by_regions(var) {
            Some((_, layout)) => layout,
            None => self.input.layout(var),
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

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        match self.by_regions(var) {
            Some(_) => Err(Error::Internal("a variable that is read by regions".into())),
            None => self.input.read_range(var, offset, buf),
        }
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        match self.by_regions(var) {
            Some((cut, _)) => self.part.gathered(var, cut, region),
            None => self.input.read_region(var, region),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: self.input.extensions().chunks,
            places: self.input.extensions().places,
            records: Some(self),
            fetch: self.input.extensions().fetch,
            sources: self.part.extensions().sources,
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

impl RecordReader for SubsetSource<'_> {
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
}
