//! [`DapReader`]: the reader of a dataset on a server, of either version.

use super::layout::layout;
use super::range::read_range;
use super::slice::Slice;
use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::format::{Extensions, Reader, SteppedReader, Written};
use crate::model::{Schema, Values, VarId, VariableLayout};

/// A dataset whose elements a server gives.
pub trait ServedDataset: Send + Sync {
    /// Its schema.
    fn schema(&self) -> &Schema;

    /// The elements of a box, which is not empty and within its variable. It has a slice for each dimension.
    ///
    /// # Errors
    /// Those of the server; answers that are malformed.
    fn elements_of(&self, var: VarId, slices: &[Slice]) -> Result<Values>;
}

/// A reader of a dataset that a server gives.
pub struct DapReader<D> {
    dataset: D,
    layouts: Vec<VariableLayout>,
}

impl<D: ServedDataset> DapReader<D> {
    /// The reader of a dataset.
    pub fn new(dataset: D) -> Self {
        let schema = dataset.schema();
        let layouts = (0..schema.vars.len()).map(|n| layout(schema, VarId(n)));
        Self {
            layouts: layouts.collect(),
            dataset,
        }
    }
}

impl<D: ServedDataset> Reader for DapReader<D> {
    fn schema(&self) -> &Schema {
        self.dataset.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn written(&self, _: VarId) -> Result<Written> {
        Ok(Written::All)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        read_range(self, var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.read_stepped(var, region, &vec![1; region.rank()])
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            stepped: Some(self),
            ..Extensions::NONE
        }
    }
}

impl<D: ServedDataset> SteppedReader for DapReader<D> {
    fn read_stepped(&self, var: VarId, region: &Region, steps: &[u64]) -> Result<Values> {
        let extent = &self.layouts[var.0].extent;
        let slices: Vec<Slice> = (0..extent.len().min(region.rank()).min(steps.len()))
            .map(|d| Slice {
                first: region.start[d],
                step: steps[d],
                count: region.count[d],
            })
            .collect();
        let fits = || {
            slices
                .iter()
                .zip(extent)
                .all(|(slice, length)| slice.fits(*length))
        };
        let read = match slices.len() == extent.len() && region.rank() == extent.len() {
            true if region.is_empty() => Ok(Values::default()),
            true if fits() => self.dataset.elements_of(var, &slices),
            _ => Err(Error::Damaged("a region outside its variable".to_owned())),
        };
        read.map_err(|e| e.in_variable(&self.schema().var_path(var)))
    }
}
