//! Chooses the route of each variable.

use std::sync::Arc;

use super::check_source::check_source;
use super::fill_values::{filled_up, fills_otherwise, loses_empty_text, reads_wrong_unwritten, same_fill};
use super::further_sources::FurtherSources;
use super::kept_chunks::KeptChunks;
use super::routed::{Routed, Way};
use super::source::VariableSource;
use crate::chunk::{ChunkGrid, Region, Selection, byte_count, element_count};
use crate::copy::geometry::{ChunksToWrite, InputMapping, InputMappings, Sources, Tiling, positions_of};
use crate::copy::plan::{CopyPlan, VariableCopy};
use crate::copy::readers::Readers;
use crate::copy::task::Route;
use crate::error::{Error, Result};
use crate::model::{Encoding, Storage, VarId, default_fill_value};

/// Most chunks that are written only because they hold zeros, in an output whose missing chunks read as
/// something else.
const MOST_ZEROS: u64 = 1 << 20;

/// How unwritten parts of the output read.
#[derive(Clone, Copy)]
pub struct Holes {
    /// True if unwritten parts of a variable read as its fill value, or as zeros if it has none. False if
    /// they read as the default fill value of the type.
    pub read_as_zeros: bool,
}

/// Chooses the route of a variable, and the chunks to write. `None` if nothing is to be written.
///
/// In a variable without a fill value, holes within the extent read as zeros, and elements past the extent as
/// netCDF's default fill value. An output that is longer, or classic, is filled with that default everywhere.
/// Then the zeros are written, and elements come from the reader, which knows the input's extent.
///
/// # Errors
/// If an input's chunk index cannot be read, or the plan does not fit the input.
pub fn choose_route(
    readers: &Readers,
    further: &FurtherSources,
    plan: &CopyPlan,
    out: VarId,
    holes: Holes,
) -> Result<Option<Routed>> {
    let reader = readers.main();
    let copy = &plan.variables[out.0];
    let to = &copy.layout;
    if element_count(&to.extent) == Some(0) || to.element_size == 0 {
        return Ok(None);
    }
    let mut found = Choice {
        complete: !plan.grows && reads_wrong_unwritten(plan, out),
        grows: plan.grows,
        every_cell: plan.grows && reads_wrong_unwritten(plan, out),
        values: plan.grows && reads_wrong_unwritten(plan, out),
        ..Choice::default()
    };
    match &copy.sources {
        Sources::Nothing if found.complete => {}
        Sources::Nothing => return Ok(None),
        Sources::Whole(var) => {
            let from = reader.layout(*var);
            found.complete |= fills_otherwise(from, to) || loses_empty_text(from, plan, to);
            // Usually the only input, and there may be very many variables.
            found.inputs.reserve_exact(1);
            found.add(&VariableSource::Main(reader, *var), None, copy, holes)?;
        }
        Sources::Parts(parts) => {
            for (at, part) in parts.iter().enumerate() {
                let source = match further.source(out, at) {
                    Some(source) => VariableSource::Further(source),
                    None => {
                        let (schema, var) = (reader.schema(), part.variable);
                        check_source((schema, schema.var(var).ty), reader.layout(var), plan, out)?;
                        VariableSource::Main(reader, part.variable)
                    }
                };
                found.complete |= !plan.grows && loses_empty_text(source.layout(), plan, to);
                found.add(&source, Some(part.selection.clone()), copy, holes)?;
            }
        }
    }
    let whole = Region::whole(&to.extent);
    let covers = |input: &InputMapping| input.regions.is_none() && input.covers(&whole);
    if found.complete && !found.inputs.iter().any(covers) {
        (found.values, found.everything) = (true, true);
    }
    if found.inputs.iter().all(InputMapping::is_empty)
        && !found.zeros_matter
        && !found.everything
        && !found.every_cell
    {
        return Ok(None);
    }
    found.route(readers, plan, out).map(Some)
}

/// Properties of all inputs of a variable.
#[derive(Default)]
struct Choice {
    inputs: InputMappings,
    /// True if elements must come from the reader as values.
    values: bool,
    /// True if holes of the input and of the output read differently.
    zeros_matter: bool,
    /// True if an input's extent ends before the output's, and it has no fill value.
    longer: bool,
    /// True if unwritten parts of the output may not be read as its fill value: see [`reads_wrong_unwritten`].
    complete: bool,
    /// True if the output exists, and has what no source fills.
    grows: bool,
    /// True if all cells of the inputs are written, also those that were never written there.
    every_cell: bool,
    /// True if all chunks are written, also those that no input has.
    everything: bool,
}

impl Choice {
    fn add(
        &mut self,
        source: &VariableSource,
        selection: Option<Selection>,
        copy: &VariableCopy,
        holes: Holes,
    ) -> Result<()> {
        let from = source.layout();
        let to = &copy.layout;
        let rank = selection.as_ref().map_or(from.extent.len(), |s| s.rank());
        if from.extent.len() != to.extent.len() || rank != to.extent.len() {
            return Err(Error::Usage(format!(
                "a variable of {} dimensions cannot become one of {}",
                from.extent.len(),
                to.extent.len()
            )));
        }
        let unfilled = from.fill.value.is_none()
            && default_fill_value(source.ty()).is_some_and(|fill| fill.bytes.iter().any(|b| *b != 0));
        let fits = match &selection {
            None => from.extent == to.extent,
            Some(selection) => selection.bounds().fits(&from.extent),
        };
        let longer = unfilled && !fits;
        let zeros_matter = longer || unfilled && !holes.read_as_zeros;
        if element_count(&from.extent) == Some(0) && !self.complete && !self.every_cell {
            return Ok(());
        }
        let mut input =
            InputMapping::new(source.var(), selection, from, &to.extent)?.in_further(source.further());
        input.set_written(source.written()?);
        let is_part = matches!(copy.sources, Sources::Parts(_));
        let is_unwritten = input.grid.is_none() && input.regions.as_ref().is_some_and(Vec::is_empty);
        let same = same_fill(from, to) && !self.every_cell;
        if is_unwritten && !zeros_matter && !self.complete && (!is_part || same) {
            return Ok(());
        }
        if is_part && !same && (is_unwritten || input.stored.is_some()) {
            // Elements that read as the input's fill value are written too, so the reader supplies them.
            input.stored = None;
            self.values = true;
        }
        let structured = from.encoding == Encoding::Structured || to.encoding == Encoding::Structured;
        let nothing_stored = is_unwritten || input.stored.as_ref().is_some_and(Vec::is_empty);
        if nothing_stored && !zeros_matter && !is_part && !self.complete {
            return Ok(());
        }
        self.values |= structured || from.element_size != to.element_size || longer;
        // Elements that are not stored come from the reader.
        self.values |= nothing_stored && zeros_matter;
        self.zeros_matter |= zeros_matter;
        self.longer |= longer;
        self.inputs.push(input);
        Ok(())
    }

    fn route(mut self, readers: &Readers, plan: &CopyPlan, out: VarId) -> Result<Routed> {
        let copy = &plan.variables[out.0];
        let to = &copy.layout;
        // A later part wins over an earlier one, also where it reads as fill values.
        let incomplete = self.inputs.iter().any(|input| input.stored.is_some());
        self.values |= incomplete && self.inputs.overlap();
        if !self.values
            && let Some(kept) = KeptChunks::new(&self.inputs, readers, plan, out)?
            && let Some(ways) = kept.ways(readers)?
        {
            return Ok(Routed {
                inputs: Arc::new(self.inputs),
                ways,
            });
        }
        for input in self.inputs.iter().filter(|input| input.grid.is_some()) {
            input.pipeline(readers)?.check_known()?;
        }
        let contiguous = !matches!(to.storage, Storage::Chunked { .. });
        if let ([input], true, false) = (&self.inputs[..], contiguous, self.values)
            && input.grid.is_none()
            && copy.sources.whole().is_some()
            && input.layout(readers).extent == to.extent
        {
            let bytes = byte_count(&to.extent, to.element_size)
                .ok_or_else(|| Error::Unsupported("a variable larger than can be addressed".into()))?;
            return Ok(Routed {
                inputs: Arc::new(self.inputs),
                ways: vec![Way {
                    route: Route::Ranges(0..bytes as u64),
                    to_write: ChunksToWrite::first(1),
                }],
            });
        }
        let tiling = match self.values {
            true => Tiling::of_values(&self.inputs, to),
            false => Tiling::new(&self.inputs, to),
        }?;
        let to_write = self.block_positions(readers, copy, &tiling, contiguous);
        let route = if self.values {
            Route::Values(Box::new(tiling))
        } else {
            Route::Blocks(Box::new(tiling))
        };
        Ok(Routed {
            inputs: Arc::new(self.inputs),
            ways: vec![Way { route, to_write }],
        })
    }

    fn block_positions(
        &self,
        readers: &Readers,
        copy: &VariableCopy,
        tiling: &Tiling,
        contiguous: bool,
    ) -> ChunksToWrite {
        let (to, grid) = (&copy.layout, &tiling.grid);
        let all = ChunksToWrite::first(grid.len());
        // True if every output chunk overlaps the input.
        let reaches = |input: &InputMapping| {
            let target = &input.target;
            let counts = ChunkGrid::new(&target.count, grid.chunk()).map(|own| own.counts().to_vec());
            target.start.iter().all(|s| *s == 0) && counts.is_ok_and(|counts| counts == grid.counts())
        };
        let zeros = self.longer
            && self.inputs.iter().any(|input| {
                ChunkGrid::new(&input.target.count, grid.chunk()).is_ok_and(|own| own.len() <= MOST_ZEROS)
            });
        let chunked = self.inputs.iter().any(|input| input.grid.is_some());
        let complete = self
            .inputs
            .iter()
            .any(|input| input.stored.is_none() && reaches(input));
        if self.grows && !contiguous {
            let targets = match &copy.sources {
                Sources::Parts(parts) if self.every_cell || zeros => {
                    parts.iter().map(|part| part.selection.target()).collect()
                }
                _ => self.inputs.stored_regions().collect::<Vec<_>>(),
            };
            return ChunksToWrite::List(positions_of(targets, grid, &tiling.order(1)));
        }
        if contiguous || self.everything || chunked && (complete || zeros) {
            return all;
        }
        if chunked || copy.sources.whole().is_none() {
            return ChunksToWrite::List(positions_of(self.inputs.stored_regions(), grid, &tiling.order(1)));
        }
        if copy.keeps_no_fill && filled_up(to, grid) {
            return all;
        }
        let Some(input) = self.inputs.first() else {
            return all;
        };
        let from = input.layout(readers);
        let given = input.regions.clone().filter(|_| same_fill(from, to));
        let parts = given.unwrap_or_else(|| vec![Region::whole(&from.extent)]);
        if reaches(input) && parts == [Region::whole(&from.extent)] {
            return all;
        }
        ChunksToWrite::List(positions_of(parts, grid, &tiling.order(1)))
    }
}
