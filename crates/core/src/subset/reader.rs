//! [`Subset`]: a dataset as it is with some cells alone.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::cells::{CellRun, Cells};
use super::dimension;
use super::gather::{self, GAP};
use super::layouts;
use super::request::SubsetRequest;
use super::shift::Shift;
use super::value::{self, Chosen, ranges};
use crate::chunk::Selection;
use crate::error::{Error, Request, Result};
use crate::filter::Registry;
use crate::format::{
    EncodedChunk, Extensions, Fetcher, Needs, OverSources, Reader, Region, Written, read_ranges,
};
use crate::model::{
    DimId, Encoding, Schema, SharedLayout, SharedLayouts, Storage, Type, Values, VarId, VariableLayout,
};
use crate::store::{ByteRange, Done, Requests};

/// Most parts that a copy makes one variable of. Variables with more are read by regions.
const MOST_PARTS: usize = 64;

/// A part of a dataset. Reads as a dataset that holds only the chosen cells. Chunks cannot be read from it as they are
/// stored; a copy reads them from its [`Subset::source`].
pub struct Subset<'a> {
    pub(super) input: &'a dyn Reader,
    schema: Schema,
    /// The chosen cells of each dimension; `None` where it is not cut.
    cells: Vec<Option<Cells>>,
    /// The cut variables; `None` for those that are whole.
    variables: Vec<Option<CutVariable>>,
    /// The cut virtual variables, once their sources were looked at, on which their layouts depend.
    looked: HashMap<VarId, OnceLock<CutVariable>>,
    registry: Registry,
    /// The variables whose values choose cells.
    choosing: Vec<VarId>,
}

/// A variable of which some cells are chosen.
pub(super) struct CutVariable {
    layout: SharedLayout,
    shift: Option<Shift>,
    /// Its layout in the source, if it is read there by regions.
    pub by_regions: Option<SharedLayout>,
}

impl<'a> Subset<'a> {
    /// Finds the cells that `request` chooses. Reads the coordinates that it names. `registry` adapts the filters of
    /// chunks that are cut.
    ///
    /// # Errors
    /// [`Error::Request`] for a dimension that is unknown or named twice, for cells that do not exist, and if nothing
    /// is selected.
    pub fn new(input: &'a dyn Reader, request: &SubsetRequest, registry: &Registry) -> Result<Self> {
        let mut cells: Vec<Option<Cells>> = vec![None; input.schema().dims.len()];
        let mut shifts: Vec<Option<Shift>> = vec![None; input.schema().vars.len()];
        let mut named = vec![false; cells.len()];
        let mut name = |name: &str, of: Request, argument: &str| {
            let dim = dimension::named(input.schema(), name, of, argument)?;
            match std::mem::replace(&mut named[dim.0], true) {
                true => Err(of.misspelled(
                    argument,
                    format!("the dimension {name} is named twice; join its cells by commas, all as indices or all as values"),
                )),
                false => Ok(dim),
            }
        };
        for request in &request.indices {
            let dim = name(request.dimension(), Request::Indices, &request.quoted())?;
            cells[dim.0] = Some(request.cells(input.schema().dim(dim).length)?);
        }
        for request in &request.values {
            let dim = name(request.dimension(), Request::Values, &request.quoted())?;
            let Chosen {
                cells: chosen,
                shifted,
            } = value::choose(input, dim, request)?;
            cells[dim.0] = Some(chosen);
            for (var, shift) in shifted {
                shifts[var.0] = Some(shift);
            }
        }
        let choosing = value::coordinates(input.schema(), &request.values);
        let mut part = Self {
            choosing,
            ..Self::of(input, cells, shifts, registry)
        };
        part.check_shifts()?;
        part.extend_ranges()?;
        Ok(part)
    }

    /// Extends the attributes that tell the range of a longitude, where its values across the seam leave it.
    fn extend_ranges(&mut self) -> Result<()> {
        for n in 0..self.variables.len() {
            let Some(shift) = self.shift(VarId(n)) else {
                continue;
            };
            if self.schema.vars[n].attributes.iter().any(ranges::is_range) {
                let shape = self.schema.shape(VarId(n));
                let values = self.read_region(VarId(n), &Region::whole(&shape))?;
                let changed = ranges::changed(shift, &shape, &values);
                ranges::extend(&mut self.schema.vars[n], &changed)?;
            }
        }
        Ok(())
    }

    /// Fails if a longitude that is an integer does not hold its values across the seam, before anything is printed or written.
    fn check_shifts(&self) -> Result<()> {
        for (n, cut) in self.variables.iter().enumerate() {
            let shift = cut.as_ref().and_then(|cut| cut.shift.as_ref());
            if shift.is_some_and(|shift| !matches!(shift.ty, Type::Float | Type::Double)) {
                self.read_region(VarId(n), &Region::whole(&self.schema.shape(VarId(n))))?;
            }
        }
        Ok(())
    }

    /// The part with these cells of each dimension, and these changes of each variable's values.
    pub(super) fn of(
        input: &'a dyn Reader,
        mut cells: Vec<Option<Cells>>,
        mut shifts: Vec<Option<Shift>>,
        registry: &Registry,
    ) -> Self {
        let mut schema = input.schema().clone();
        for (dim, cells) in schema.dims.iter_mut().zip(&mut cells) {
            let is_all = |cells: &mut Cells| *cells == Cells::whole(dim.length);
            cells.take_if(is_all);
            if let Some(cells) = cells {
                dim.length = cells.len();
            }
        }
        let mut part = Self {
            input,
            schema,
            cells,
            variables: Vec::new(),
            looked: HashMap::new(),
            registry: registry.clone(),
            choosing: Vec::new(),
        };
        let mut shared = SharedLayouts::default();
        part.variables = (0..shifts.len())
            .map(|n| part.cut(VarId(n), shifts[n].take(), &mut shared))
            .collect();
        let cut = (0..part.variables.len()).filter(|n| part.variables[*n].is_some());
        part.looked = cut
            .map(VarId)
            .filter(|var| input.is_virtual(*var))
            .map(|var| (var, OnceLock::new()))
            .collect();
        part
    }

    /// The cut form of a variable; `None` if it is whole.
    pub(super) fn cut_variable(&self, var: VarId) -> Option<&CutVariable> {
        let looked = self.looked.get(&var).and_then(OnceLock::get);
        looked.or(self.variables[var.0].as_ref())
    }

    /// The selections that a variable of the part is made of, in the source. `None` if it is whole there.
    pub fn selections(&self, var: VarId) -> Option<Vec<Selection>> {
        match self.cut_variable(var) {
            Some(cut) if cut.by_regions.is_none() => self.selections_of(var),
            _ => None,
        }
    }

    /// True if a copy reads a variable by regions of this part.
    pub fn is_by_regions(&self, var: VarId) -> bool {
        self.cut_variable(var).is_some_and(|cut| cut.by_regions.is_some())
    }

    /// The chosen cells of each dimension of a variable; `None` where it is not cut.
    pub(super) fn cells_of(&self, var: VarId) -> Vec<Option<&Cells>> {
        let dims = &self.schema.var(var).dims;
        dims.iter()
            .map(|dim: &DimId| self.cells[dim.0].as_ref())
            .collect()
    }

    /// Cuts a variable; `None` if it is whole.
    fn cut(&self, var: VarId, shift: Option<Shift>, shared: &mut SharedLayouts) -> Option<CutVariable> {
        let cells = self.cells_of(var);
        if cells.iter().all(Option::is_none) {
            return None;
        }
        let layout = self.input.layout(var);
        let cut = layouts::cut(self.input.schema(), var, layout, &cells, &self.registry);
        // What lies between chosen cells may be of sources that cannot be read.
        let is_virtual = self.input.is_virtual(var);
        let by_regions =
            shift.is_some() || skips_much(layout, &cells, is_virtual) || self.selections_of(var).is_none();
        Some(CutVariable {
            by_regions: by_regions.then(|| layouts::by_regions(&self.schema, var, &cut).into()),
            layout: shared.share(cut),
            shift,
        })
    }

    /// All combinations of the runs of a variable's dimensions; `None` if they are too many.
    fn selections_of(&self, var: VarId) -> Option<Vec<Selection>> {
        let mut combined: Vec<Vec<CellRun>> = vec![Vec::new()];
        for (d, cells) in self.cells_of(var).into_iter().enumerate() {
            let whole;
            let runs = match cells {
                Some(cells) => cells.runs(),
                None => {
                    whole = Cells::whole(self.schema.dim(self.schema.var(var).dims[d]).length);
                    whole.runs()
                }
            };
            if combined.len().saturating_mul(runs.len()) > MOST_PARTS {
                return None;
            }
            combined = combined
                .iter()
                .flat_map(|before| runs.iter().map(|run| [&before[..], &[*run]].concat()))
                .collect();
        }
        let pick = |runs: &[CellRun], of: fn(&CellRun) -> u64| runs.iter().map(of).collect::<Vec<_>>();
        let selection = |runs: Vec<CellRun>| {
            Selection::new(
                pick(&runs, |run| run.start),
                pick(&runs, |run| run.step),
                pick(&runs, |run| run.count),
                pick(&runs, |run| run.at),
            )
            .ok()
        };
        combined.into_iter().map(selection).collect()
    }

    /// The chosen cells of a dimension; `None` where it is not cut.
    pub(super) fn cells(&self, dim: DimId) -> Option<&Cells> {
        self.cells.get(dim.0)?.as_ref()
    }

    /// How the values of a variable change.
    pub(super) fn shift(&self, var: VarId) -> Option<&Shift> {
        self.cut_variable(var)?.shift.as_ref()
    }

    /// True if the part needs any element in a region of a variable of the input: one is chosen, or the variable's values
    /// choose cells.
    pub fn needs(&self, var: VarId, region: &Region) -> bool {
        let is_hit = |(d, cells): (usize, Option<&Cells>)| match (region.start.get(d), region.count.get(d)) {
            (Some(start), Some(count)) => cells.is_none_or(|cells| cells.meet(*start, *count)),
            _ => true,
        };
        self.is_choosing(var) || self.cells_of(var).into_iter().enumerate().all(is_hit)
    }

    /// True if the values of a variable choose cells.
    pub(super) fn is_choosing(&self, var: VarId) -> bool {
        self.choosing.contains(&var)
    }

    /// The same part, in which the values of these variables choose cells.
    pub(super) fn chosen_by(self, choosing: Vec<VarId>) -> Self {
        Self { choosing, ..self }
    }

    /// The elements of a region, through the chosen cells.
    pub(super) fn gathered(&self, var: VarId, cut: &CutVariable, region: &Region) -> Result<Values> {
        if !region.fits(&self.schema.shape(var)) {
            return Err(Error::Damaged("a region outside its variable".into()));
        }
        let mut values = gather::read(self.input, var, &self.cells_of(var), region)?;
        if let Some(shift) = &cut.shift {
            shift.apply(region, &mut values)?;
        }
        Ok(values)
    }
}

/// True if the engine, which reads all that lies between the cells of a run, would read much that is not chosen, or with
/// `skips_all` anything.
fn skips_much(layout: &VariableLayout, cells: &[Option<&Cells>], skips_all: bool) -> bool {
    let stepped = |d: usize| cells[d].is_some_and(|cells| cells.runs().iter().any(|run| run.step > 1));
    if layout.encoding == Encoding::Structured {
        return (0..cells.len()).any(stepped);
    }
    if matches!(layout.storage, Storage::Chunked { .. }) {
        return false;
    }
    let mut inner = layout.element_size as u64;
    (0..cells.len()).rev().any(|d| {
        let skips = stepped(d) && (skips_all || inner >= GAP);
        inner = inner.saturating_mul(layout.extent[d]);
        skips
    })
}

impl Reader for Subset<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        match self.cut_variable(var) {
            Some(cut) => &cut.layout,
            None => self.input.layout(var),
        }
    }

    fn written(&self, var: VarId) -> Result<Written> {
        let written = self.input.written(var)?;
        Ok(match (self.cut_variable(var), written) {
            (Some(_), Written::Nothing) => Written::Nothing,
            (Some(_), _) => Written::All,
            (None, written) => written,
        })
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        match self.cut_variable(var) {
            Some(_) => Err(Error::Internal("a part is read by regions".into())),
            None => self.input.read_range(var, offset, buf),
        }
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        match self.cut_variable(var) {
            Some(cut) => self.gathered(var, cut, region),
            None => self.input.read_region(var, region),
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: None,
            places: None,
            records: None,
            fetch: Some(self),
            sources: Some(self),
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

impl Fetcher for Subset<'_> {
    fn requests(&self) -> Requests {
        self.input.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        (self as &dyn Reader).read_chunks_in_turn(var, &chunks, done);
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf)));
    }
}

impl OverSources for Subset<'_> {
    fn below(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        Some((self.input, var))
    }

    fn all_below(&self) -> Vec<&dyn Reader> {
        vec![self.input]
    }

    fn resolve_below(&self, var: VarId, _: Option<&Needs<'_>>) -> Result<()> {
        let Some(looked) = self.looked.get(&var) else {
            return self.input.resolve_sources(var);
        };
        if looked.get().is_some() {
            return Ok(());
        }
        self.input
            .resolve_needed_sources(var, &|region| self.needs(var, region))?;
        let shift = self.shift(var).cloned();
        if let Some(cut) = self.cut(var, shift, &mut SharedLayouts::default()) {
            let _ = looked.set(cut);
        }
        Ok(())
    }
}
