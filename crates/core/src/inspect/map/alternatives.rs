//! [`Alternative`]: what other filters, another chunk shape, or Zarr would make of a variable, by samples.

use super::reading::Readings;
use crate::chunk::ChunkGrid;
use crate::copy::plan::{
    Access, AutoChoice, ChosenFor, Limits, access_chunk_shape, choose_filters, default_chunk_shape,
};
use crate::error::Result;
use crate::filter::{Effort, Registry};
use crate::format::Reader;
use crate::inspect::sizes::VariableSizes;
use crate::model::{CodecNames, Storage, VarId, VariableLayout};

/// Bytes in memory that a chunk for maps and series alike has at most.
const BALANCED: u64 = 1 << 20;

/// One way to store a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// What it is.
    pub storing: Storing,
    /// Shape of a chunk, in elements; `None` without chunks.
    pub chunk_shape: Option<Vec<u64>>,
    /// The filters as `nccopy -F` takes them; `none` for none.
    pub filters: String,
    /// Bytes in the file: counted for what there is, else estimated from samples; `None` if no sample was read.
    pub bytes: Option<u64>,
    /// Number of chunks.
    pub chunks: Option<u64>,
    /// What readers take.
    pub readings: Option<Readings>,
}

/// A way to store a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storing {
    /// As it is.
    Present,
    /// The same chunks, with the filters that `nccopy -F auto` chooses.
    Auto,
    /// Chunks that maps and series meet in about equal numbers, with such filters.
    Balanced,
    /// The present chunks and filters as keys of Zarr.
    Zarr,
}

/// The alternatives for a variable of several dimensions, the present storage first. At most `left` bytes are decoded for samples, and
/// subtracted.
///
/// # Errors
/// If a sample cannot be read.
pub(super) fn alternatives(
    reader: &dyn Reader,
    of: &VariableSizes,
    registry: &Registry,
    left: &mut u64,
) -> Result<Vec<Alternative>> {
    let layout = reader.layout(of.var);
    let present = present(layout, of);
    let mut all = vec![present];
    let Some(memory) = of.memory.filter(|memory| *memory > 0 && layout.extent.len() > 1) else {
        return Ok(all);
    };
    let same_chunks = match &of.chunk_shape {
        Some(shape) => shape.clone(),
        None => chunks_by_default(reader, of.var, layout),
    };
    let mut sampled = |storing, shape: Vec<u64>| -> Result<Alternative> {
        let alternative = layout.clone().in_chunks(shape.clone());
        let choice = choose(reader, of.var, &alternative, registry, left)?;
        // Without samples nothing was chosen.
        let choice = Some(choice).filter(|choice| choice.sizes.0 > 0);
        let bytes = choice.as_ref().and_then(|choice| {
            // In the same chunks, samples also tell how far they are from the whole.
            let known = of.space.stored.zip(after_filters(choice, &of.filters));
            let (whole, before) = known
                .filter(|_| storing == Storing::Auto)
                .unwrap_or((memory, choice.sizes.0));
            (before > 0).then(|| (whole as f64 * choice.sizes.1 as f64 / before as f64) as u64)
        });
        let filters = choice.map_or(String::new(), |choice| choice.filters);
        Ok(with_readings(storing, layout, shape, filters, bytes))
    };
    all.push(sampled(Storing::Auto, same_chunks.clone())?);
    // Readings count along the first dimension, so a series does too.
    let balanced = access_chunk_shape(Access::Balanced, BALANCED, layout.element_size, &layout.extent, 0);
    if balanced != same_chunks {
        all.push(sampled(Storing::Balanced, balanced)?);
    }
    // A copy keeps these chunks and these filters; others get their equivalents, which are not tried.
    let is_kept =
        |filter: &String| ["shuffle", "deflate", "fletcher32", "zstd", "blosc"].contains(&filter.as_str());
    let is_chunked = of.chunk_shape.is_some() && !reader.is_virtual(of.var);
    if !reader.schema().kind.can().keys && is_chunked && of.filters.iter().all(is_kept) {
        let (filters, bytes) = (all[0].filters.clone(), of.space.stored);
        all.push(with_readings(Storing::Zarr, layout, same_chunks, filters, bytes));
    }
    Ok(all)
}

fn present(layout: &VariableLayout, of: &VariableSizes) -> Alternative {
    let filters = match of.filters.is_empty() {
        true => "none".to_owned(),
        false => of.filters.join("|"),
    };
    match &of.chunk_shape {
        Some(shape) => with_readings(Storing::Present, layout, shape.clone(), filters, of.space.stored),
        None => Alternative {
            storing: Storing::Present,
            chunk_shape: None,
            filters,
            bytes: of.space.stored,
            chunks: None,
            readings: match layout.storage {
                Storage::Blocks { .. } => None,
                _ => Some(Readings::of_pieces(&layout.extent, layout.element_size as u64)),
            },
        },
    }
}

fn with_readings(
    storing: Storing,
    layout: &VariableLayout,
    shape: Vec<u64>,
    filters: String,
    bytes: Option<u64>,
) -> Alternative {
    let grid = ChunkGrid::new(&layout.extent, &shape)
        .ok()
        .filter(|grid| !grid.is_empty());
    let chunk = grid.as_ref().zip(bytes).map(|(grid, bytes)| bytes / grid.len());
    Alternative {
        storing,
        chunks: grid.as_ref().map(ChunkGrid::len),
        readings: grid.map(|grid| Readings::of_chunks(grid.counts(), chunk.unwrap_or(0))),
        chunk_shape: Some(shape),
        filters,
        bytes,
    }
}

/// The filters that suit samples best, for which at most `left` bytes are decoded.
fn choose(
    reader: &dyn Reader,
    var: VarId,
    layout: &VariableLayout,
    registry: &Registry,
    left: &mut u64,
) -> Result<AutoChoice> {
    let schema = reader.schema();
    let chosen_for = ChosenFor {
        schema,
        ty: schema.var(var).ty,
        layout,
        // A kind without filters is copied to one that has them.
        names: schema.kind.can().codecs.unwrap_or(CodecNames::Hdf5),
        limits: &Limits::default(),
        registry,
    };
    let (_, choice) = choose_filters(reader, var, &chosen_for, Effort::Balanced, left)?;
    Ok(choice)
}

/// Bytes of the samples after filters of these names, at some level that was tried.
fn after_filters(choice: &AutoChoice, names: &[String]) -> Option<u64> {
    if names.is_empty() {
        return Some(choice.sizes.0);
    }
    let has_names = |filters: &str| {
        let tried = filters
            .split('|')
            .map(|filter| filter.split(',').next().unwrap_or(filter));
        tried.eq(names.iter().map(String::as_str))
    };
    let chosen = std::iter::once((choice.filters.as_str(), choice.sizes.1));
    let others = choice
        .others
        .iter()
        .map(|(filters, size)| (filters.as_str(), *size));
    let alike = chosen.chain(others).filter(|(filters, _)| has_names(filters));
    alike.map(|(_, size)| size).min()
}

/// The chunks that a copy with filters would give a variable without chunks.
fn chunks_by_default(reader: &dyn Reader, var: VarId, layout: &VariableLayout) -> Vec<u64> {
    let schema = reader.schema();
    let dims = schema.var(var).dims.iter().map(|dim| schema.dim(*dim));
    let dims: Vec<(u64, bool)> = dims.map(|dim| (dim.length, dim.unlimited)).collect();
    default_chunk_shape(schema.kind.can(), layout.element_size, &dims)
}
