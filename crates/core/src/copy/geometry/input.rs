//! An input variable of an output variable, as the engine reads it.

use crate::chunk::{ChunkGrid, Region, Selection};
use crate::error::Result;
use crate::format::{Reader, Written};
use crate::model::{Storage, VarId, VariableLayout};

/// An input variable of an output variable, as the engine reads it.
#[derive(Debug)]
pub struct Input {
    /// The variable of the input.
    pub var: VarId,
    /// Which elements of it; `None` where each keeps its place.
    pub selection: Option<Box<Selection>>,
    /// The input's chunks; `None` where it is read by range.
    pub grid: Option<Box<ChunkGrid>>,
    /// The chunks that are stored, ascending; `None` for all.
    pub stored: Option<Vec<u64>>,
    /// The written regions of an input without chunks; `None` for all.
    pub regions: Option<Vec<Region>>,
    /// The region of the output that the input fills.
    pub target: Region,
}

impl Input {
    /// An input with layout `from`, for an output variable of shape `extent`. Reads no chunk index.
    ///
    /// # Errors
    /// If the input's chunks form no valid grid.
    pub fn new(
        var: VarId,
        selection: Option<Selection>,
        from: &VariableLayout,
        extent: &[u64],
    ) -> Result<Self> {
        let grid = match &from.storage {
            Storage::Chunked { shape } => Some(Box::new(ChunkGrid::new(&from.extent, shape)?)),
            _ => None,
        };
        let all = Region::whole(&from.extent);
        let held = match &selection {
            None => Some(all),
            Some(selection) => selection.output(&all),
        };
        let target = held.and_then(|held| held.clip(extent)).unwrap_or_else(|| Region {
            start: vec![0; extent.len()],
            count: vec![0; extent.len()],
        });
        Ok(Self {
            var,
            selection: selection.map(Box::new),
            grid,
            stored: None,
            regions: None,
            target,
        })
    }

    /// Asks the reader which parts of the input were ever written.
    ///
    /// # Errors
    /// If a chunk index cannot be read.
    pub fn find_written(&mut self, reader: &dyn Reader) -> Result<()> {
        let written = reader.written(self.var)?;
        if self.grid.is_some() {
            self.stored = match written {
                Written::Nothing => Some(Vec::new()),
                Written::Chunks(stored) => Some(stored),
                Written::All | Written::Regions(_) => None,
            };
            return Ok(());
        }
        self.regions = match written {
            Written::Nothing => Some(Vec::new()),
            Written::Regions(regions) => Some(regions),
            Written::All | Written::Chunks(_) => None,
        };
        Ok(())
    }

    /// True if a chunk was ever written.
    pub fn is_stored(&self, chunk: u64) -> bool {
        match &self.stored {
            None => true,
            Some(stored) => stored.binary_search(&chunk).is_ok(),
        }
    }

    /// True if no chunk of it was ever written, or it fills nothing.
    pub fn is_empty(&self) -> bool {
        self.target.is_empty() || self.stored.as_ref().is_some_and(Vec::is_empty)
    }

    /// Numbers of the stored chunks.
    pub fn chunks(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match &self.stored {
            None => Box::new(0..self.grid.as_ref().map_or(0, |grid| grid.len())),
            Some(stored) => Box::new(stored.iter().copied()),
        }
    }

    /// The box of the output that the elements of `held`, a region of the input, fill.
    pub fn output(&self, held: &Region) -> Option<Region> {
        match &self.selection {
            None => held.intersect(&self.target),
            Some(selection) => selection.output(held)?.intersect(&self.target),
        }
    }

    /// The box of the input that holds the elements for `output`.
    pub fn input(&self, output: &Region) -> Option<Region> {
        let met = output.intersect(&self.target)?;
        match &self.selection {
            None => Some(met),
            Some(selection) => selection.input(&met),
        }
    }

    /// Index in the input of the element that goes to `output`.
    pub fn index(&self, output: &[u64]) -> Vec<u64> {
        match &self.selection {
            None => output.to_vec(),
            Some(selection) => selection.index(output),
        }
    }

    /// Distance, in elements of the input, from one selected element to the next along dimension `d`.
    pub fn stride(&self, d: usize) -> u64 {
        self.selection.as_ref().map_or(1, |s| s.stride()[d])
    }

    /// True if this input writes all elements of a region of the output.
    pub fn covers(&self, output: &Region) -> bool {
        self.stored.is_none() && output.intersect(&self.target).as_ref() == Some(output)
    }
}

/// True if two inputs fill the same elements of the output.
pub fn overlap(inputs: &[Input]) -> bool {
    let meets = |(n, a): (usize, &Input)| {
        let later = &inputs[n + 1..];
        later.iter().any(|b| a.target.intersect(&b.target).is_some())
    };
    inputs.iter().enumerate().any(meets)
}
