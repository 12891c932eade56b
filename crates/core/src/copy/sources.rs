//! Where the data of an output variable comes from.

use crate::chunk::{ChunkGrid, Region, Selection};
use crate::error::Result;
use crate::format::{Reader, Written};
use crate::model::{Storage, VarId, VariableLayout};

/// Where the data of an output variable comes from.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Sources {
    /// From nowhere: the variable is defined and never written, so that it reads as fill.
    #[default]
    Nothing,
    /// From one variable of the input. Each element keeps its place.
    Whole(VarId),
    /// From parts of variables: a slice, a union, a virtual mapping. Where parts overlap, the later one wins. What no part
    /// fills reads as fill.
    Parts(Vec<SourcePart>),
}

impl Sources {
    /// The only input variable; `None` where there is none, or a part is selected.
    pub fn whole(&self) -> Option<VarId> {
        match self {
            Self::Whole(var) => Some(*var),
            _ => None,
        }
    }
}

/// A part of an input variable, and where it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcePart {
    /// The input variable.
    pub variable: VarId,
    /// Which of its elements, and their place in the output variable.
    pub selection: Selection,
}

/// One input variable of an output variable, as the engine reads it.
#[derive(Debug)]
pub(super) struct Input {
    /// The variable.
    pub var: VarId,
    /// Which elements of it; `None` where each keeps its place.
    pub selection: Option<Box<Selection>>,
    /// The input's chunks; `None` where it is read by range.
    pub grid: Option<Box<ChunkGrid>>,
    /// The chunks that are stored, ascending; `None` for all.
    pub stored: Option<Vec<u64>>,
    /// The regions that are written of an input in one piece; `None` for all.
    pub regions: Option<Vec<Region>>,
    /// The region of the output that it fills.
    pub target: Region,
}

impl Input {
    /// What a part of `from` is for an output variable of the lengths `extent`. Reads no chunk index.
    ///
    /// # Errors
    /// Where the input's chunks make no grid.
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

    /// Finds out what of the input was ever written.
    ///
    /// # Errors
    /// What reading a chunk index finds wrong.
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

    /// Whether a chunk was ever written.
    pub fn is_stored(&self, chunk: u64) -> bool {
        match &self.stored {
            None => true,
            Some(stored) => stored.binary_search(&chunk).is_ok(),
        }
    }

    /// Whether no part of it was ever written.
    pub fn is_empty(&self) -> bool {
        self.target.is_empty() || self.stored.as_ref().is_some_and(Vec::is_empty)
    }

    /// The numbers of the stored chunks.
    pub fn chunks(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match &self.stored {
            None => Box::new(0..self.grid.as_ref().map_or(0, |grid| grid.len())),
            Some(stored) => Box::new(stored.iter().copied()),
        }
    }

    /// The box of the output that the elements of `held`, a region of the input, become.
    pub fn output(&self, held: &Region) -> Option<Region> {
        match &self.selection {
            None => held.intersect(&self.target),
            Some(selection) => selection.output(held)?.intersect(&self.target),
        }
    }

    /// The box of the input that holds what becomes the elements of `output`.
    pub fn input(&self, output: &Region) -> Option<Region> {
        let met = output.intersect(&self.target)?;
        match &self.selection {
            None => Some(met),
            Some(selection) => selection.input(&met),
        }
    }

    /// The place of the element of the input that becomes the one at `output`.
    pub fn index(&self, output: &[u64]) -> Vec<u64> {
        match &self.selection {
            None => output.to_vec(),
            Some(selection) => selection.index(output),
        }
    }

    /// Elements of the input from one that is taken to the next, along dimension `d`.
    pub fn stride(&self, d: usize) -> u64 {
        self.selection.as_ref().map_or(1, |s| s.stride()[d])
    }

    /// Whether all elements of the output's region are written from this input.
    pub fn covers(&self, output: &Region) -> bool {
        self.stored.is_none() && output.intersect(&self.target).as_ref() == Some(output)
    }
}

/// Whether two inputs fill common elements of the output.
pub(super) fn overlap(inputs: &[Input]) -> bool {
    let meets = |(n, a): (usize, &Input)| {
        let later = &inputs[n + 1..];
        later.iter().any(|b| a.target.intersect(&b.target).is_some())
    };
    inputs.iter().enumerate().any(meets)
}
