//! The source of an output variable's data.

use super::CopyPlan;
use crate::chunk::{ChunkGrid, Region, Selection};
use crate::error::{Error, Result};
use crate::filter::NumberClass;
use crate::format::{Reader, Written};
use crate::model::{Encoding, Storage, VarId, VariableLayout};

/// The source of an output variable's data.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Sources {
    /// No data: the variable is defined but never written, so it reads as fill values.
    #[default]
    Nothing,
    /// One variable of the input. Each element keeps its index.
    Whole(VarId),
    /// Parts of variables: a slice, a union, a virtual mapping. A later part overwrites an earlier one.
    /// Elements that no part fills read as fill values.
    Parts(Vec<SourcePart>),
}

impl Sources {
    /// The only input variable. `None` if there is none, or parts are selected.
    pub fn whole(&self) -> Option<VarId> {
        match self {
            Self::Whole(var) => Some(*var),
            _ => None,
        }
    }
}

/// A part of an input variable, and its place in the output.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcePart {
    /// The input variable.
    pub variable: VarId,
    /// The selected elements, and their place in the output variable.
    pub selection: Selection,
}

/// An input variable of an output variable, as the engine reads it.
#[derive(Debug)]
pub(super) struct Input {
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

/// Checks that elements of the input variable `var` can become elements of the output variable `out`. Copies
/// convert the byte order, and elements that the reader converts. They change neither the size nor the class of
/// elements.
///
/// # Errors
/// [`Error::Usage`], which names both variables.
pub(super) fn check_part(reader: &dyn Reader, var: VarId, plan: &CopyPlan, out: VarId) -> Result<()> {
    let (input, output) = (reader.schema(), &plan.schema);
    let (from_type, to_type) = (input.var(var).ty, output.var(out).ty);
    let (from, to) = (reader.layout(var), &plan.variables[out.0].layout);
    let structured = [from.encoding, to.encoding].contains(&Encoding::Structured);
    let same_storage = match structured {
        // The size of elements in memory, because that in the file may be another.
        true => {
            input.type_size(from_type) == output.type_size(to_type)
                && input.has_heap(from_type) == output.has_heap(to_type)
        }
        false => (from.element_size, from.encoding) == (to.element_size, to.encoding),
    };
    if same_storage && NumberClass::of(input, from_type) == NumberClass::of(output, to_type) {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "elements of the input's variable {} are of another type, and cannot become part of it",
        input.var_path(var)
    ))
    .in_variable(&output.var_path(out)))
}

/// True if two inputs fill the same elements of the output.
pub(super) fn overlap(inputs: &[Input]) -> bool {
    let meets = |(n, a): (usize, &Input)| {
        let later = &inputs[n + 1..];
        later.iter().any(|b| a.target.intersect(&b.target).is_some())
    };
    inputs.iter().enumerate().any(meets)
}
