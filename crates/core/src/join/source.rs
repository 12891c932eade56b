//! [`JoinSource`]: what a copy of a join reads.

use super::joined::Joined;
use crate::error::{Error, Result};
use crate::format::{ChunkReader, Extensions, Reader, Region, Written};
use crate::model::{Schema, SharedLayout, Values, VarId, VariableLayout};
use crate::subset::by_regions;

/// What a copy of a join reads, as its main reader: variables as the first input stores them, and by regions those whose values are
/// made by the join or by a subset of it.
pub struct JoinSource<'a> {
    joined: &'a Joined,
    asked: &'a dyn Reader,
    /// Layouts of the variables that are read by regions of `asked`.
    by_values: Vec<Option<SharedLayout>>,
}

impl<'a> JoinSource<'a> {
    /// `asked` is the join itself, or a subset of it. Variables for which `is_made` holds are read from it.
    pub fn new(joined: &'a Joined, asked: &'a dyn Reader, is_made: impl Fn(VarId) -> bool) -> Self {
        let layout = |n| {
            let var = VarId(n);
            is_made(var).then(|| by_regions(asked.schema(), var, asked.layout(var)).into())
        };
        Self {
            joined,
            asked,
            by_values: (0..asked.schema().vars.len()).map(layout).collect(),
        }
    }

    fn layout_by_values(&self, var: VarId) -> Option<&SharedLayout> {
        self.by_values.get(var.0)?.as_ref()
    }
}

impl Reader for JoinSource<'_> {
    fn schema(&self) -> &Schema {
        self.asked.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        match self.layout_by_values(var) {
            Some(layout) => layout,
            None => self.joined.first.layout(var),
        }
    }

    fn written(&self, var: VarId) -> Result<Written> {
        match self.layout_by_values(var) {
            Some(_) => Ok(Written::All),
            None => self.joined.first.written(var),
        }
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        match self.layout_by_values(var) {
            Some(_) => Err(Error::Internal("a variable that is read by regions".into())),
            None => self.joined.first.read_range(var, offset, buf),
        }
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        match self.layout_by_values(var) {
            Some(_) => self.asked.read_region(var, region),
            None => self.joined.first.read_region(var, region),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        let first = self.joined.first.extensions();
        Extensions {
            chunks: first.chunks.map(|chunks| chunks as &dyn ChunkReader),
            // Records of the first input are not those of the join.
            records: None,
            fetch: first.fetch,
            sources: first.sources,
            elements: first.elements,
            check: None,
            changes: Some(self.joined),
            cache: first.cache,
        }
    }
}
