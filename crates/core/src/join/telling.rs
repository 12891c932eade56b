//! [`Telling`]: an input that tells, when it is closed, what was unusual about the data that was read of it.

use crate::error::Result;
use crate::format::{Extensions, Reader, Region, Written};
use crate::model::{Schema, Values, VarId, VariableLayout};

/// Receives the warnings of an input about its data.
pub type Tell = dyn Fn(Vec<String>) + Send + Sync;

/// An input that tells, when it is closed, what was unusual about the data that was read of it. Inputs of which few are open at a
/// time cannot be asked at the end.
pub struct Telling {
    reader: Box<dyn Reader>,
    tell: Box<Tell>,
}

impl Telling {
    /// The input `reader`, whose warnings go to `tell`.
    pub fn new(reader: Box<dyn Reader>, tell: Box<Tell>) -> Self {
        Self { reader, tell }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        let warnings = self.reader.data_warnings();
        if !warnings.is_empty() {
            (self.tell)(warnings);
        }
    }
}

impl Reader for Telling {
    fn schema(&self) -> &Schema {
        self.reader.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        self.reader.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        self.reader.written(var)
    }

    fn held(&self, var: VarId) -> Result<Written> {
        self.reader.held(var)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.reader.read_range(var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.reader.read_region(var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        self.reader.extensions()
    }
}
