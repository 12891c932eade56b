//! [`Estimate`]: how a variable is stored, and how many bytes a copy will make of it.
//!
//! ```text
//! input ─► layout, bytes as stored ─────────────────────────────┐
//! plan ──► whole chunks that pass: the same bytes               ├─► Estimate
//!          others: samples ─► the new filters ─► their ratio    ┘
//! ```

use super::describe::Description;
use crate::chunk::{ChunkGrid, element_count};
use crate::copy::geometry::Sources;
use crate::copy::plan::{CopyPlan, samples};
use crate::copy::task::RouteName;
use crate::error::Result;
use crate::filter::{ChunkShape, ChunkType, Scratch};
use crate::format::{Reader, ShardGrid};
use crate::model::{Storage, VarId, VariableLayout};

/// Number of chunks that are sampled of a variable.
const SAMPLES: u64 = 16;

/// Most bytes that are decoded for the samples of a copy.
const MOST_SAMPLED: u64 = 256 << 20;

/// How a variable is stored, and what a copy will make of it.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// How the input stores it; `None` without a variable of the input.
    pub before: Option<VariableLayout>,
    /// Bytes that it takes in the input; `None` if they are not known, or if only a part of it is copied.
    pub bytes_before: Option<u64>,
    /// About how many bytes it will take; `None` if no samples tell.
    pub bytes: Option<u64>,
}

/// Estimates for each variable of the copy of `asked`, in the order of the output's schema. Reads samples of data, at most
/// 256 MiB in all. A variable whose samples cannot be read has no estimate, so that damaged datasets can be planned too.
pub fn estimates(asked: &dyn Reader, plan: &CopyPlan, description: &Description<'_>) -> Vec<Estimate> {
    let survey = asked.extensions().space;
    let space = survey.and_then(|survey| survey.space().ok());
    let mut left = MOST_SAMPLED;
    let mut all = Vec::with_capacity(plan.variables.len());
    for (at, (copy, described)) in plan.variables.iter().zip(&description.variables).enumerate() {
        let source = match &copy.sources {
            Sources::Nothing => None,
            Sources::Whole(source) => Some(*source),
            Sources::Parts(parts) => parts.first().map(|part| part.variable),
        };
        let stored = source.and_then(|source| space.as_ref()?.variables.get(source.0)?.stored);
        let chunks = described.chunks;
        // Of the input's bytes, those of its chunks.
        let of_chunks = source.zip(stored).map(|(source, stored)| {
            let number = space.as_ref().and_then(|space| space.variables[source.0].chunks);
            stored.saturating_sub(indexes(asked.layout(source), number.unwrap_or(u64::MAX)))
        });
        let passes = described.routes.only() == Some(RouteName::Raw);
        let bytes = match source {
            None => Some(0),
            _ if passes && of_chunks.is_some() => of_chunks,
            Some(source) => estimate(asked, source, VarId(at), plan, (chunks, of_chunks), &mut left)
                .ok()
                .flatten(),
        };
        let bytes = bytes.map(|bytes| bytes.saturating_add(indexes(&copy.layout, chunks)));
        all.push(Estimate {
            before: source.map(|source| asked.layout(source).clone()),
            bytes_before: stored,
            bytes,
        });
    }
    all
}

/// Bytes of the indexes of a variable's shards, of which `chunks` chunks are written; 0 without shards.
fn indexes(layout: &VariableLayout, chunks: u64) -> u64 {
    let shards = ShardGrid::new(layout).ok().flatten();
    shards.map_or(0, |shards| shards.index_bytes(chunks))
}

/// About how many bytes the chunks of a variable of the output will take, of which `chunks` are written. Those of the input take
/// `stored` bytes.
fn estimate(
    asked: &dyn Reader,
    source: VarId,
    var: VarId,
    plan: &CopyPlan,
    (chunks, stored): (u64, Option<u64>),
    left: &mut u64,
) -> Result<Option<u64>> {
    let (layout, ty) = (&*plan.variables[var.0].layout, plan.schema.var(var).ty);
    // Fewer digits take fewer bytes, by how much only a copy tells.
    if plan.variables[var.0].quantization.is_some() {
        return Ok(None);
    }
    if plan.schema.has_heap(ty) && layout.string_length.is_none() {
        return Ok(None);
    }
    let bytes_of = |lengths: &[u64]| {
        let count = element_count(lengths)?;
        count.checked_mul(layout.stored_size() as u64)
    };
    let Storage::Chunked { shape } = &layout.storage else {
        return Ok(bytes_of(&layout.extent));
    };
    if layout.filters.is_empty() || chunks == 0 {
        return Ok(bytes_of(shape).and_then(|chunk| chunk.checked_mul(chunks)));
    }
    let grid = ChunkGrid::new(&layout.extent, shape)?;
    let Some(whole) = bytes_of(&layout.extent).filter(|_| *left > 0) else {
        return Ok(None);
    };
    let (mut before, mut after, mut scratch) = (0u64, 0u64, Scratch::new());
    // Where the chunks are the input's, their stored bytes tell what the samples stand for.
    let same_chunks = asked.layout(source).storage == layout.storage;
    let mut stored_before = same_chunks.then_some(0u64);
    for sample in samples(asked, source, layout, SAMPLES, left)? {
        let chunk = ChunkType::new(&plan.schema, ty, layout, &sample.shape).with_fill(&layout.fill);
        let Ok(pipeline) = plan.registry.bind(&layout.filters, &chunk) else {
            return Ok(None);
        };
        let Ok(encoded) = pipeline.encode(&sample.bytes, ChunkShape::Full, &mut scratch) else {
            return Ok(None);
        };
        before += sample.bytes.len() as u64;
        let is_whole = grid.region(sample.chunk).count == sample.shape;
        let stored = asked.stored_size(source, sample.chunk).filter(|_| is_whole);
        stored_before = stored_before
            .zip(stored)
            .map(|(sum, stored)| sum.saturating_add(stored));
        after += encoded.bytes.len() as u64;
    }
    if let (Some(sampled @ 1..), Some(all)) = (stored_before, stored)
        && !asked.layout(source).filters.is_empty()
    {
        return Ok(Some((all as f64 * after as f64 / sampled as f64) as u64));
    }
    // Chunks that are not written take nothing.
    let share = chunks as f64 / grid.len().max(1) as f64;
    Ok((before > 0).then(|| (whole as f64 * share * after as f64 / before as f64) as u64))
}
