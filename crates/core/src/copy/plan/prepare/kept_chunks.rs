//! Chunks of the output that keep their shape: each holds the elements of one input chunk at the same positions.
//!
//! ```text
//! fit: each input ─┬─ all fit, in one way ──► one route for the variable
//!                  └─ else: each chunk ─┬─ whole in an input whose chunks pass ───► raw
//!                                       ├─ whole in an input with other codecs ───► refilter
//!                                       ├─ at a border of such inputs ────────────► blocks of one chunk
//!                                       └─ in an input with chunks of other shape ► blocks of a tile
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use super::routed::Way;
use crate::chunk::{ChunkGrid, Region};
use crate::copy::geometry::{
    AlignedGrids, BlockOrder, ChunksToWrite, InputMapping, InputMappings, Sources, Tiling, positions_of,
    shard_chunks, swap_between, unit,
};
use crate::copy::plan::CopyPlan;
use crate::copy::readers::Readers;
use crate::copy::task::Route;
use crate::error::Result;
use crate::filter::{ChainEnd, ChunkType, Registry};
use crate::model::{Storage, VarId, VariableLayout};

/// How the chunks of an input fit those of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// They are chunks of the output, and pass, but for a change at the outer end of their filters.
    Passes,
    /// They are chunks of the output, but have other codecs or another byte order.
    Encoded,
    /// They have the same shape, and begin at other positions.
    Shifted,
    /// They have another shape, or there are none.
    Other,
}

/// How a chunk of the output is made. A later way can make all chunks that an earlier one can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Making {
    Raw,
    Refilter,
    Border,
    Other,
}

/// The chunks of an output variable, and how each of its inputs fits them.
pub struct KeptChunks<'a> {
    inputs: &'a InputMappings,
    to: &'a VariableLayout,
    grid: ChunkGrid,
    shard: Option<Vec<u64>>,
    fits: Vec<Fit>,
    /// True if chunks that pass come last: see [`Self::way_of_each`].
    passing_last: bool,
    /// See [`AlignedGrids::ends`].
    ends: Box<[Option<ChainEnd>]>,
}

impl<'a> KeptChunks<'a> {
    /// `None` if no input fits.
    ///
    /// # Errors
    /// If the output's chunks form no valid grid.
    pub fn new(
        inputs: &'a InputMappings,
        readers: &Readers,
        plan: &'a CopyPlan,
        out: VarId,
    ) -> Result<Option<Self>> {
        let copy = &plan.variables[out.0];
        let to = &copy.layout;
        let Storage::Chunked { shape, .. } = &to.storage else {
            return Ok(None);
        };
        let chunk = ChunkType::new(&plan.schema, plan.schema.var(out).ty, to, shape);
        // Inputs may differ in a level. One that the user asks for is no wish of an input.
        let levels_differ = copy.referenced && matches!(copy.sources, Sources::Parts(_));
        let fit = |input: &InputMapping| {
            let from = input.layout(readers);
            if input.grid.as_ref().is_none_or(|grid| grid.chunk() != shape) {
                return (Fit::Other, None);
            }
            if !keeps_positions(input, from, to) {
                return (Fit::Shifted, None);
            }
            let end = || chain_end(from, to, &plan.registry, &chunk, levels_differ);
            match copy.quantization.is_none().then(end).flatten() {
                Some(end) => (Fit::Passes, Some(end).filter(|end| !end.is_empty())),
                None => (Fit::Encoded, None),
            }
        };
        let (fits, ends): (Vec<Fit>, Vec<_>) = inputs.iter().map(fit).unzip();
        if !fits.iter().any(|fit| matches!(fit, Fit::Passes | Fit::Encoded)) {
            return Ok(None);
        }
        Ok(Some(Self {
            inputs,
            to,
            grid: ChunkGrid::new(&to.extent, shape)?,
            shard: shard_chunks(to)?,
            fits,
            passing_last: plan.schema.kind.can().references,
            ends: match ends.iter().any(Option::is_some) {
                true => ends.into(),
                false => Box::default(),
            },
        }))
    }

    /// The ways in which the chunks are made. `None` if no chunk is kept; all are then made in blocks.
    ///
    /// # Errors
    /// A chunk that must be decoded, and whose filters are not known.
    pub fn ways(self, readers: &Readers) -> Result<Option<Vec<Way>>> {
        let all_kept = self.inputs.iter().zip(&self.fits).all(|(input, fit)| {
            matches!(fit, Fit::Passes | Fit::Encoded) && fills_whole_chunks(input, self.to)
        });
        let all_pass = self.fits.iter().all(|fit| matches!(fit, Fit::Passes));
        let none_passes = !self.fits.iter().any(|fit| matches!(fit, Fit::Passes));
        let overlap = self.inputs.overlap();
        if all_kept && (all_pass || none_passes || overlap) {
            return self.one_way(all_pass, readers);
        }
        // Of two inputs that fill the same elements, the later one wins.
        if overlap {
            return Ok(None);
        }
        self.way_of_each(readers)
    }

    /// All chunks in one way.
    fn one_way(mut self, pass: bool, readers: &Readers) -> Result<Option<Vec<Way>>> {
        for input in self.inputs.iter() {
            if !pass || self.has_cut_chunks(input, readers) {
                input.pipeline(readers)?.check_known()?;
            }
        }
        let to_write = self.all_positions(&self.aligned()?);
        let (route, _) = self.route(pass)?;
        Ok(Some(vec![Way { route, to_write }]))
    }

    /// Each chunk in its own way. Where chunks that pass become references, they come last and in their order, so that a writer can
    /// complete what is before them.
    fn way_of_each(mut self, readers: &Readers) -> Result<Option<Vec<Way>>> {
        let mut makings = self.makings();
        if !makings.iter().any(|(_, making)| *making <= Making::Refilter) {
            return Ok(None);
        }
        self.keep_shards_together(&self.aligned()?.order(), &mut makings);
        self.check_codecs(readers, &makings)?;
        let mut ways = Vec::new();
        let mut order = [Making::Raw, Making::Refilter, Making::Border, Making::Other];
        if self.passing_last {
            order.reverse();
        }
        for making in order {
            let chunks = makings.iter().filter(|(_, of)| *of == making);
            let chunks: Vec<u64> = chunks.map(|(chunk, _)| *chunk).collect();
            if chunks.is_empty() {
                continue;
            }
            let (route, order) = match making {
                Making::Raw => self.route(true)?,
                Making::Refilter => self.route(false)?,
                Making::Border | Making::Other => {
                    let tiling = Tiling::new(self.inputs_of_tiles(making), self.to)?;
                    let order = tiling.order(1);
                    (Route::Blocks(Box::new(tiling)), order)
                }
            };
            let position = |chunk: &u64| order.position(&self.grid.coordinates(*chunk));
            let to_write = ChunksToWrite::listed(chunks.iter().map(position).collect());
            ways.push(Way { route, to_write });
        }
        Ok(Some(ways))
    }

    /// How each chunk is made under which an input has something stored, by ascending number.
    fn makings(&self) -> Vec<(u64, Making)> {
        let mut makings = Vec::new();
        for (input, fit) in self.inputs.iter().zip(&self.fits) {
            let kept = self.whole_chunks(input);
            let is_kept = |chunk: u64| {
                let at = self.grid.coordinates(chunk);
                (0..at.len()).all(|d| at[d] >= kept.start[d] && at[d] - kept.start[d] < kept.count[d])
            };
            let of = |chunk: u64| match fit {
                Fit::Other => Making::Other,
                Fit::Passes if is_kept(chunk) => Making::Raw,
                Fit::Encoded if is_kept(chunk) => Making::Refilter,
                _ => Making::Border,
            };
            for region in InputMappings::stored_regions_of(input) {
                makings.extend(self.grid.chunks_in(&region).map(|chunk| (chunk, of(chunk))));
            }
        }
        // Of several makings of a chunk, the last can make it of all its inputs.
        makings.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        makings.dedup_by_key(|(chunk, _)| *chunk);
        makings
    }

    /// The chunks that an input fills, as a box of chunks.
    fn whole_chunks(&self, input: &InputMapping) -> Region {
        let (mut start, mut count) = (Vec::new(), Vec::new());
        for (d, length) in self.grid.chunk().iter().enumerate() {
            let first = input.target.start[d].div_ceil(*length);
            let end = input.target.start[d] + input.target.count[d];
            let end = match end == self.grid.extent()[d] {
                true => self.grid.counts()[d],
                false => end / length,
            };
            start.push(first);
            count.push(end.saturating_sub(first));
        }
        Region { start, count }
    }

    /// Makes all chunks of a shard in one way, as they are written one after another.
    fn keep_shards_together(&self, order: &BlockOrder, makings: &mut [(u64, Making)]) {
        if self.shard.is_none() {
            return;
        }
        let shard = |chunk: u64| {
            order
                .shard_at(order.position(&self.grid.coordinates(chunk)))
                .first
        };
        let mut last: HashMap<u64, Making> = HashMap::new();
        for (chunk, making) in &*makings {
            let of_shard = last.entry(shard(*chunk)).or_insert(*making);
            *of_shard = (*of_shard).max(*making);
        }
        for (chunk, making) in makings {
            *making = last.get(&shard(*chunk)).copied().unwrap_or(*making);
        }
    }

    /// Checks that the filters are known of what must be decoded.
    fn check_codecs(&self, readers: &Readers, makings: &[(u64, Making)]) -> Result<()> {
        for (input, fit) in self.inputs.iter().zip(&self.fits) {
            if input.grid.is_none() {
                continue;
            }
            let is_decoded = !matches!(fit, Fit::Passes)
                || self.has_cut_chunks(input, readers)
                || self.grid.chunks_in(&input.target).any(|chunk| {
                    let at = makings.binary_search_by_key(&chunk, |(chunk, _)| *chunk);
                    at.is_ok_and(|at| makings[at].1 != Making::Raw)
                });
            if is_decoded {
                input.pipeline(readers)?.check_known()?;
            }
        }
        Ok(())
    }

    /// The inputs that decide on the tiles of chunks which are made in blocks.
    fn inputs_of_tiles(&self, making: Making) -> &[InputMapping] {
        let is_of = |n: usize| (making == Making::Other) == matches!(self.fits[n], Fit::Other);
        let chunked = |n: usize| self.inputs[n].grid.is_some();
        let all = 0..self.inputs.len();
        let found = all.clone().find(|n| is_of(*n) && chunked(*n));
        let found = found.or_else(|| all.clone().find(|n| is_of(*n)));
        found.map_or(&[], |n| &self.inputs[n..=n])
    }

    /// The grids of chunks that keep their shape.
    fn aligned(&self) -> Result<AlignedGrids> {
        Ok(AlignedGrids {
            grid: ChunkGrid::new(self.grid.extent(), self.grid.chunk())?,
            shard: self.shard.clone(),
            ends: Arc::default(),
        })
    }

    /// The route of chunks that keep their shape, and their order. The first call with `pass` takes what changes of them.
    fn route(&mut self, pass: bool) -> Result<(Route, BlockOrder)> {
        let same = self.aligned()?;
        let order = same.order();
        let route = match pass {
            true => Route::Raw(Box::new(AlignedGrids {
                ends: std::mem::take(&mut self.ends).into(),
                ..same
            })),
            false => Route::Refilter(Box::new(same)),
        };
        Ok((route, order))
    }

    /// True if a chunk of the input passes through its filters although others pass unchanged, because the extent cuts it.
    fn has_cut_chunks(&self, input: &InputMapping, readers: &Readers) -> bool {
        let Some(own) = &input.grid else { return true };
        let is_whole = |d: usize| {
            let end = input.target.start[d] + input.target.count[d];
            let taken = input.input(&input.target).map_or(0, |r| r.start[d] + r.count[d]);
            end.is_multiple_of(self.grid.chunk()[d])
                || end == self.grid.extent()[d] && taken == own.extent()[d]
        };
        input.layout(readers).edges != self.to.edges || !(0..self.to.extent.len()).all(is_whole)
    }

    /// The positions of the chunks to write, if all keep their shape.
    fn all_positions(&self, same: &AlignedGrids) -> ChunksToWrite {
        if let [input] = &self.inputs[..]
            && input.selection.is_none()
            && (input.grid.as_ref()).is_some_and(|grid| grid.counts() == same.grid.counts())
        {
            return match (&input.stored, &same.shard) {
                (None, _) => ChunksToWrite::first(same.grid.len()),
                (Some(stored), None) => ChunksToWrite::List(stored.clone()),
                (Some(stored), Some(_)) => {
                    let order = same.order();
                    let position = |chunk: &u64| order.position(&same.grid.coordinates(*chunk));
                    ChunksToWrite::listed(stored.iter().map(position).collect())
                }
            };
        }
        let whole = Region::whole(same.grid.extent());
        if self.inputs.iter().any(|input| input.covers(&whole)) {
            return ChunksToWrite::first(same.grid.len());
        }
        ChunksToWrite::List(positions_of(
            self.inputs.stored_regions(),
            &same.grid,
            &same.order(),
        ))
    }
}

/// True if chunks of an input, which have the output's shape, hold the same elements as chunks of the output.
fn keeps_positions(input: &InputMapping, from: &VariableLayout, to: &VariableLayout) -> bool {
    let Some(selection) = &input.selection else {
        let mut lengths = from.extent.iter().zip(&to.extent);
        return lengths.all(|(from, to)| from <= to);
    };
    let (bounds, target) = (selection.bounds(), selection.target());
    let mut starts = bounds.start.iter().zip(&target.start).zip(to.chunk_shape());
    // The only element of a chunk keeps its place whatever lies between it and the next.
    let mut steps = selection.stride().iter().zip(to.chunk_shape());
    steps.all(|(step, length)| *step == 1 || *length == 1)
        && target.fits(&to.extent)
        && bounds.fits(&from.extent)
        && starts.all(|((from, to), length)| from % length == to % length)
}

/// True if an input fills whole chunks alone, or the last ones up to the extent.
fn fills_whole_chunks(input: &InputMapping, to: &VariableLayout) -> bool {
    let Some(selection) = &input.selection else {
        return true;
    };
    let target = selection.target();
    to.chunk_shape().iter().enumerate().all(|(d, length)| {
        let end = target.start[d] + target.count[d];
        target.start[d].is_multiple_of(*length) && (end.is_multiple_of(*length) || end == to.extent[d])
    })
}

/// How an encoded chunk of one layout becomes valid for the other by a change of the outer end of its filters, which may be
/// none. `None` if it must be encoded anew. Their grids are equal, with chunks of type `chunk`. If `levels_differ`, chunks pass whose codecs
/// differ in what an encoder alone needs.
fn chain_end(
    from: &VariableLayout,
    to: &VariableLayout,
    registry: &Registry,
    chunk: &ChunkType,
    levels_differ: bool,
) -> Option<ChainEnd> {
    let source = ChunkType {
        row: from.extent.last().copied(),
        ..chunk.clone()
    };
    let same_numbers = unit(from) == unit(to) && swap_between(from, to) == 1;
    let same_numbers = same_numbers && registry.same_for(&from.filters, &source, chunk);
    let end = || match levels_differ && registry.read_alike(&from.filters, &to.filters, chunk) {
        true => Some(ChainEnd::unchanged()),
        false => ChainEnd::between(registry, &from.filters, &to.filters, chunk),
    };
    same_numbers.then(end).flatten()
}
