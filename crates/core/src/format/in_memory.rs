//! A dataset with its values in memory, as input for tests.

use super::reader::{Extensions, Reader};
use super::{Region, Written};
use crate::chunk::copy_region;
use crate::error::Result;
use crate::model::{Schema, Values, VarId, VariableLayout};

/// A dataset in memory.
#[derive(Debug, Clone)]
pub struct InMemoryReader {
    schema: Schema,
    layouts: Vec<VariableLayout>,
    values: Vec<Values>,
}

impl InMemoryReader {
    /// The same dataset as one of another kind.
    pub fn of_kind(mut self, kind: crate::model::Kind) -> Self {
        self.schema.kind = kind;
        self
    }

    /// A dataset of `schema`. `values` holds the values of all its variables, in order.
    pub fn new(schema: Schema, values: Vec<Values>) -> Self {
        let layout = |var: VarId| {
            let (element_size, encoding) = schema.storage_encoding(schema.var(var).ty);
            VariableLayout::contiguous(schema.shape(var), element_size, encoding)
        };
        let layouts = (0..schema.vars.len()).map(|at| layout(VarId(at))).collect();
        Self {
            schema,
            layouts,
            values,
        }
    }

    /// The layout of a variable, to be changed.
    pub fn layout_mut(&mut self, var: VarId) -> &mut VariableLayout {
        &mut self.layouts[var.0]
    }
}

impl Reader for InMemoryReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn written(&self, _: VarId) -> Result<Written> {
        Ok(Written::All)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let start = offset as usize;
        buf.copy_from_slice(&self.values[var.0].bytes[start..start + buf.len()]);
        Ok(())
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        let (shape, size) = (self.schema.shape(var), self.layout(var).element_size);
        let all = &self.values[var.0];
        let mut bytes = vec![0; region.element_count().unwrap_or(0) as usize * size];
        copy_region(
            &all.bytes,
            &shape,
            &region.start,
            &mut bytes,
            &region.count,
            &vec![0; shape.len()],
            &region.count,
            size,
            1,
        )?;
        Ok(Values {
            bytes,
            heap: all.heap.clone(),
        })
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions::NONE
    }
}
