//! An input variable of an output variable, as the engine reads it.

use std::fmt;
use std::sync::Arc;

use crate::chunk::{ChunkGrid, Region, Selection};
use crate::copy::readers::{ReaderId, Readers};
use crate::error::Result;
use crate::filter::Pipeline;
use crate::format::Written;
use crate::model::{SharedLayout, Storage, VarId, VariableLayout};

/// A variable, and the reader that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputVariable {
    /// The reader.
    pub reader: ReaderId,
    /// The variable in the reader's schema.
    pub var: VarId,
}

/// What jobs must know of a variable of a further reader, which need not be open when they are made.
pub struct FurtherInput {
    /// Number of the reader.
    pub reader: usize,
    /// Storage of the variable.
    pub layout: SharedLayout,
    /// True if the variable lies in other datasets.
    pub is_virtual: bool,
    /// True if the reader's kind has filter masks.
    pub filter_masks: bool,
    /// Its codecs, bound to its chunks.
    pub pipeline: Arc<Pipeline>,
}

/// Without the codecs, which follow from the layout: thousands of inputs are printed for the digest of a plan.
impl fmt::Debug for FurtherInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.reader, &self.layout, self.is_virtual, self.filter_masks).fmt(f)
    }
}

/// An input variable of an output variable, as the engine reads it.
#[derive(Debug)]
pub struct InputMapping {
    /// The variable in its reader's schema.
    pub var: VarId,
    /// What is known of a variable of a further reader; `None` for the main reader.
    pub further: Option<Box<FurtherInput>>,
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

impl InputMapping {
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
            further: None,
            selection: selection.map(Box::new),
            grid,
            stored: None,
            regions: None,
            target,
        })
    }

    /// The input, as a variable of a further reader.
    pub fn in_further(mut self, further: Option<Box<FurtherInput>>) -> Self {
        self.further = further;
        self
    }

    /// The variable, and its reader.
    pub fn id(&self) -> InputVariable {
        let reader = match &self.further {
            None => ReaderId::Main,
            Some(further) => ReaderId::Further(further.reader),
        };
        InputVariable {
            reader,
            var: self.var,
        }
    }

    /// Storage of the variable.
    pub fn layout<'a>(&'a self, readers: &Readers<'a>) -> &'a VariableLayout {
        match &self.further {
            None => readers.main().layout(self.var),
            Some(further) => &further.layout,
        }
    }

    /// The codecs of the variable.
    ///
    /// # Errors
    /// The errors of [`ChunkReader::pipeline`](crate::format::ChunkReader::pipeline).
    pub fn pipeline(&self, readers: &Readers) -> Result<Arc<Pipeline>> {
        match &self.further {
            None => readers.main().pipeline(self.var),
            Some(further) => Ok(Arc::clone(&further.pipeline)),
        }
    }

    /// True if the variable lies in other datasets.
    pub fn is_virtual(&self, readers: &Readers) -> bool {
        match &self.further {
            None => readers.main().is_virtual(self.var),
            Some(further) => further.is_virtual,
        }
    }

    /// True if its chunks may have skipped filters.
    pub fn may_have_masks(&self, readers: &Readers) -> bool {
        match &self.further {
            None => readers.main().schema().kind.can().filter_masks,
            Some(further) => further.filter_masks,
        }
    }

    /// Bytes of a stored chunk, if known. Nothing is known of a further reader, which may be closed.
    pub fn stored_size(&self, readers: &Readers, chunk: u64) -> Option<u64> {
        match &self.further {
            None => readers.main().stored_size(self.var, chunk),
            Some(_) => None,
        }
    }

    /// Sets which parts of the input were ever written.
    pub fn set_written(&mut self, written: Written) {
        if self.grid.is_some() {
            self.stored = match written {
                Written::Nothing => Some(Vec::new()),
                Written::Chunks(stored) => Some(stored),
                Written::All | Written::Regions(_) => None,
            };
            return;
        }
        self.regions = match written {
            Written::Nothing => Some(Vec::new()),
            Written::Regions(regions) => Some(regions),
            Written::All | Written::Chunks(_) => None,
        };
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
