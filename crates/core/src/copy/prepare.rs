//! Before anything is written: which way each variable goes, and which chunks of it will be written.
//!
//! | route | when |
//! | --- | --- |
//! | raw | shape, element, byte order and filters agree: encoded chunks pass untouched |
//! | refilter | the grid of chunks is the same, filters or byte order are not: chunk by chunk |
//! | ranges | one piece on both sides |
//! | blocks | anything else of fixed-size elements: input pieces are scattered into blocks of output chunks |
//! | values | strings, sequences, and whatever must be converted: through [`Values`](crate::model::Values) |
//! | records | what would go by ranges or blocks, and is interleaved with others in the input: with these, record by record |

use super::bands::{self, Band};
use super::order::{BlockOrder, tile_shape};
use super::{CopyPlan, VariableCopy};
use crate::chunk::{ChunkGrid, Region, byte_count, element_count};
use crate::error::{Error, Result};
use crate::format::{Reader, VariablePlan};
use crate::model::{Encoding, Storage, Values, VarId, VariableLayout, default_fill_value};

/// What a contiguous variable is read and written in at a time, in bytes, where it takes part in blocks.
const SLAB: u64 = 256 << 10;

/// The most chunks that are written only because they hold zeros where the output is filled with something else.
const MOST_ZEROS: u64 = 1 << 20;

/// The most bytes of chunks that a variable without fill value is written out to, so that it has no holes, which would read as
/// anything;
const MOST_FILLED: u64 = 1 << 30;

/// and what a chunk counts for at least.
const LEAST_CHUNK: u64 = 1024;

/// Input ranges shorter than this are worth widening a tile for, in bytes.
const RUN: u64 = 64 << 10;

/// What [`prepare`] found out: what the writer must know, and what the engine will do.
#[derive(Debug)]
pub struct Prepared {
    /// For `format::create`, one for each variable of the output.
    pub plans: Vec<VariablePlan>,
    pub(super) variables: Vec<Variable>,
}

/// One variable that has data to copy.
#[derive(Debug)]
pub(super) struct Variable {
    pub out: VarId,
    pub source: VarId,
    pub name: String,
    pub route: Route,
    /// The chunks that will be written (slabs of a contiguous output count as chunks).
    pub written: Written,
    /// The ticket of the first.
    pub ticket: u64,
    /// Bytes of data for the progress bar.
    pub bytes: u64,
}

/// How a variable is copied.
#[derive(Debug)]
pub(super) enum Route {
    Raw,
    Refilter,
    Ranges,
    Blocks(Tiling),
    Values(Tiling),
    /// By the jobs of the band that the first of its variables has.
    Records(Option<Box<Band>>),
}

/// The geometry of a variable whose chunks change.
#[derive(Debug)]
pub(super) struct Tiling {
    /// The grid of output chunks, or of slabs where the output is contiguous.
    pub grid: ChunkGrid,
    /// The grid of input chunks; `None` where the input is read by range.
    pub input: Option<ChunkGrid>,
    /// The shape of a tile, in output chunks.
    pub tile: Vec<u64>,
    /// Whether every chunk of the input is stored.
    pub complete: bool,
}

/// Which of a grid's chunks are written, by their place in the order of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    /// The first so many: all there are.
    All(u64),
    /// These, ascending.
    Some(Vec<u64>),
}

impl Written {
    pub fn len(&self) -> u64 {
        match self {
            Self::All(n) => *n,
            Self::Some(places) => places.len() as u64,
        }
    }

    /// The place of the `n`th that is written.
    pub fn place(&self, n: u64) -> Option<u64> {
        match self {
            Self::All(len) => (n < *len).then_some(n),
            Self::Some(places) => places.get(usize::try_from(n).ok()?).copied(),
        }
    }

    /// How many are written before `place`.
    pub fn before(&self, place: u64) -> u64 {
        match self {
            Self::All(len) => place.min(*len),
            Self::Some(places) => places.partition_point(|p| *p < place) as u64,
        }
    }
}

/// Finds the way of each variable and counts the chunks that will be written: only those under which the input has
/// anything stored.
///
/// # Errors
/// What reading the input's chunk indexes finds wrong, a plan that does not fit the input, and
/// [`Error::UnknownFilter`] where a chunk would have to pass a filter that is not built in.
pub fn prepare(reader: &dyn Reader, plan: &CopyPlan) -> Result<Prepared> {
    if plan.variables.len() != plan.schema.vars.len() {
        return Err(Error::Usage(
            "a plan must have one entry for each variable".into(),
        ));
    }
    let mut prepared = Prepared {
        plans: Vec::with_capacity(plan.variables.len()),
        variables: Vec::new(),
    };
    let mut ticket = 0u64;
    for (n, copy) in plan.variables.iter().enumerate() {
        let out = VarId(n);
        let name = plan.schema.var_path(out);
        let way = match copy.source {
            None => None,
            Some(source) => {
                way(reader, source, copy, plan.schema.kind.is_hdf5()).map_err(|e| e.in_variable(&name))?
            }
        };
        let mut layout = copy.layout.clone();
        let chunked = matches!(layout.storage, Storage::Chunked { .. });
        layout.allocated = way.is_some();
        let chunks = way.as_ref().map_or(0, |(_, written)| written.len());
        prepared.plans.push(VariablePlan {
            layout,
            chunk_count: if chunked { chunks } else { 0 },
            keeps_no_fill: copy.keeps_no_fill,
        });
        let (Some((route, written)), Some(source)) = (way, copy.source) else {
            continue;
        };
        let bytes = if chunked {
            byte_count(copy.layout.chunk_shape(), copy.layout.element_size)
                .map(|n| chunks.saturating_mul(n as u64))
        } else {
            byte_count(&copy.layout.extent, copy.layout.element_size).map(|n| n as u64)
        };
        let first = ticket;
        if chunked || matches!(route, Route::Values(_)) && copy.layout.encoding == Encoding::Structured {
            ticket = ticket.saturating_add(chunks);
        }
        prepared.variables.push(Variable {
            out,
            source,
            name,
            route,
            written,
            ticket: first,
            bytes: bytes.unwrap_or(u64::MAX),
        });
    }
    bands::gather(reader, &prepared.plans, &mut prepared.variables, ticket);
    Ok(prepared)
}

/// How a variable is copied, and what of it is written; `None` where nothing is.
///
/// Where a variable has no fill value, holes within its extent read as zeros, and what lies past the extent as netCDF's
/// default fill value, which is also what the output is filled with where its extent is longer or it is classic. Then the
/// zeros are written out, and elements come from the reader, which knows where the extent ends.
fn way(
    reader: &dyn Reader,
    source: VarId,
    copy: &VariableCopy,
    hdf5: bool,
) -> Result<Option<(Route, Written)>> {
    let from = reader.layout(source);
    let to = &copy.layout;
    if from.extent.len() != to.extent.len() {
        return Err(Error::Usage(format!(
            "a variable of {} dimensions cannot become one of {}",
            from.extent.len(),
            to.extent.len()
        )));
    }
    let nothing = element_count(&to.extent) == Some(0) || element_count(&from.extent) == Some(0);
    if nothing || to.element_size == 0 {
        return Ok(None);
    }
    let unfilled = from.fill.value.is_none()
        && default_fill_value(reader.schema().var(source).ty)
            .is_some_and(|fill| fill.bytes.iter().any(|b| *b != 0));
    let longer = unfilled && from.extent != to.extent;
    let zeros_matter = longer || unfilled && !hdf5;
    let input = match &from.storage {
        Storage::Chunked { shape } => Some(ChunkGrid::new(&from.extent, shape)?),
        _ if !from.allocated && !zeros_matter => return Ok(None),
        _ => None,
    };
    let stored = match &input {
        None => Vec::new(),
        Some(grid) => {
            let mut stored = reader.stored_chunks(source)?;
            // An index may still name chunks that lie past the extent.
            stored.retain(|i| *i < grid.len());
            if stored.is_empty() && !zeros_matter {
                return Ok(None);
            }
            stored
        }
    };
    let nothing_stored = stored.is_empty() && (input.is_some() || !from.allocated);
    let complete = input
        .as_ref()
        .is_none_or(|grid| stored.len() as u64 == grid.len());

    let structured = from.encoding == Encoding::Structured || to.encoding == Encoding::Structured;
    let values = structured || from.element_size != to.element_size || longer || nothing_stored;
    if let (Storage::Chunked { shape: a }, Storage::Chunked { shape: b }) = (&from.storage, &to.storage)
        && !values
        && a == b
        && from.extent == to.extent
    {
        let written = match &input {
            Some(grid) if complete => Written::All(grid.len()),
            _ => Written::Some(stored),
        };
        if same_encoding(from, to) {
            return Ok(Some((Route::Raw, written)));
        }
        must_decode(from)?;
        return Ok(Some((Route::Refilter, written)));
    }
    if input.is_some() {
        must_decode(from)?;
    }
    let contiguous = !matches!(to.storage, Storage::Chunked { .. });
    if input.is_none() && contiguous && !values && from.extent == to.extent {
        return Ok(Some((Route::Ranges, Written::All(1))));
    }
    let shape = match &to.storage {
        Storage::Chunked { shape } => shape.clone(),
        _ => slab_shape(&to.extent, to.element_size, from.chunk_shape()),
    };
    let grid = ChunkGrid::new(&to.extent, &shape)?;
    let tile = match &input {
        Some(input) => tile_shape(input.chunk(), &shape, &to.extent, grid.counts()),
        None => tile_shape(
            &run_shape(&to.extent, to.element_size, &shape),
            &shape,
            &to.extent,
            grid.counts(),
        ),
    };
    // Every output chunk lies over the input's extent, and all of that is stored.
    let own = ChunkGrid::new(&from.extent, &shape)?;
    let covered = grid.counts() == own.counts();
    let zeros = longer && own.len() <= MOST_ZEROS;
    let written = match &input {
        Some(input) if !(complete && covered || contiguous || zeros) => Written::Some(places_of(
            stored.iter().map(|chunk| input.region(*chunk)),
            &grid,
            &tile,
        )),
        _ if contiguous || copy.keeps_no_fill && filled_up(to, &grid) => Written::All(grid.len()),
        _ => {
            let given = reader.given(source).filter(|_| same_fill(from, to));
            let parts = given.unwrap_or_else(|| vec![Region::whole(&from.extent)]);
            if covered && parts == [Region::whole(&from.extent)] {
                Written::All(grid.len())
            } else {
                Written::Some(places_of(parts, &grid, &tile))
            }
        }
    };
    let tiling = Tiling {
        grid,
        input,
        tile,
        complete,
    };
    Ok(Some((
        if values {
            Route::Values(tiling)
        } else {
            Route::Blocks(tiling)
        },
        written,
    )))
}

/// Whether all chunks of a variable are written because it has no fill value, and they are not too many.
fn filled_up(to: &VariableLayout, grid: &ChunkGrid) -> bool {
    let chunk = byte_count(grid.chunk(), to.element_size).unwrap_or(usize::MAX) as u64;
    to.fill.no_fill && grid.len().saturating_mul(chunk.max(LEAST_CHUNK)) <= MOST_FILLED
}

/// Whether the output need not hold what the input reads as fill: it reads as the same, or as anything.
fn same_fill(from: &VariableLayout, to: &VariableLayout) -> bool {
    let zeros = |layout: &VariableLayout| layout.fill.value.as_ref().is_none_or(Values::is_zero);
    to.fill.no_fill || from.fill.value == to.fill.value || zeros(from) && zeros(to)
}

/// The places of the output chunks that hold an element of these regions, which may have elements in common.
fn places_of(parts: impl IntoIterator<Item = Region>, grid: &ChunkGrid, tile: &[u64]) -> Vec<u64> {
    let order = BlockOrder::new(grid.counts(), tile, 1);
    let mut places = Vec::new();
    let mut distinct = 0;
    for part in parts {
        for index in grid.chunks_in(&part) {
            places.push(order.place(&grid.coordinates(index)));
        }
        // Neighbours meet the same chunks: keep the list near the length it will have.
        if places.len() > 2 * distinct + 4096 {
            places.sort_unstable();
            places.dedup();
            distinct = places.len();
        }
    }
    places.sort_unstable();
    places.dedup();
    places.shrink_to_fit();
    places
}

/// Bytes of the numbers whose order matters; 1 where none does.
fn unit(layout: &VariableLayout) -> usize {
    match layout.encoding {
        Encoding::Numbers { unit } => unit.max(1),
        _ => 1,
    }
}

/// The group of bytes to reverse on the way between two layouts; 1 for none.
pub(super) fn swap_between(from: &VariableLayout, to: &VariableLayout) -> usize {
    let unit = unit(from).min(unit(to));
    if from.endian == to.endian { 1 } else { unit }
}

/// Whether an encoded chunk of one layout is one of the other, their grids being the same.
fn same_encoding(from: &VariableLayout, to: &VariableLayout) -> bool {
    let filters = |layout: &VariableLayout| -> Vec<(u32, Vec<u32>)> {
        layout
            .filters
            .iter()
            .map(|f| (f.id, f.parameters.clone()))
            .collect()
    };
    unit(from) == unit(to)
        && swap_between(from, to) == 1
        && from.edge_chunks_unfiltered == to.edge_chunks_unfiltered
        && filters(from) == filters(to)
}

/// Fails where a filter of the input is not built in.
fn must_decode(from: &VariableLayout) -> Result<()> {
    for filter in &from.filters {
        crate::filter::registry::get(filter.id, &filter.name)?;
    }
    Ok(())
}

/// The slabs in which a contiguous output is written: whole in the fastest dimensions, near [`SLAB`] bytes, and cut where
/// input chunks of shape `input` end if possible. Each is one range, and they follow each other.
fn slab_shape(extent: &[u64], element_size: usize, input: &[u64]) -> Vec<u64> {
    let mut shape = vec![1; extent.len()];
    let mut bytes = element_size as u64;
    for d in (0..extent.len()).rev() {
        let whole = bytes.saturating_mul(extent[d]);
        if whole <= SLAB {
            shape[d] = extent[d].max(1);
            bytes = whole;
            continue;
        }
        let most = (SLAB / bytes).clamp(1, extent[d]);
        let chunk = input.get(d).copied().unwrap_or(1).max(1);
        shape[d] = if chunk <= most {
            most - most % chunk
        } else {
            // A part of a chunk that goes into it without rest, if one is not much smaller.
            (most.div_ceil(4)..=most)
                .rev()
                .find(|n| chunk.is_multiple_of(*n))
                .unwrap_or(most)
        };
        break;
    }
    shape
}

/// What takes the place of the input's chunk shape where it is read by range: tiles made with it read runs of [`RUN`] bytes or
/// more where they can.
fn run_shape(extent: &[u64], element_size: usize, output: &[u64]) -> Vec<u64> {
    let mut shape = vec![1; extent.len()];
    let mut bytes = element_size as u64;
    for d in (0..extent.len()).rev() {
        let whole = bytes.saturating_mul(extent[d]);
        if whole <= RUN {
            shape[d] = extent[d].max(1);
            bytes = whole;
            continue;
        }
        let least = RUN.div_ceil(bytes.max(1));
        shape[d] = least.div_ceil(output[d].max(1)).saturating_mul(output[d]).max(1);
        break;
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_follow_each_other_and_end_with_input_chunks() {
        assert_eq!(slab_shape(&[10, 20], 4, &[5, 5]), [10, 20]);
        assert_eq!(slab_shape(&[1000, 1000, 1000], 4, &[100, 50, 50]), [1, 50, 1000]);
        assert_eq!(slab_shape(&[1 << 30], 8, &[100_000]), [25_000]);
        assert!(slab_shape(&[], 4, &[]).is_empty());
    }

    #[test]
    fn runs_are_whole_output_chunks() {
        assert_eq!(run_shape(&[248, 361, 720], 4, &[248, 19, 36]), [1, 38, 720]);
        assert_eq!(run_shape(&[248, 361, 720], 4, &[1, 361, 720]), [1, 361, 720]);
    }

    #[test]
    fn places_are_found_from_what_is_written() {
        let some = Written::Some(vec![3, 7, 8]);
        assert_eq!((some.place(1), some.place(3)), (Some(7), None));
        assert_eq!((some.before(7), some.before(9)), (1, 3));
        assert_eq!(Written::All(4).before(9), 4);
    }
}
