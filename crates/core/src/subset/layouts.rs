//! The layouts of cut variables.

use super::cells::Cells;
use crate::chunk::element_count;
use crate::error::Result;
use crate::filter::{ChunkType, Registry};
use crate::model::{CodecSpec, Encoding, Schema, Storage, VarId, VariableLayout};

/// How the input stores a variable, cut to the chosen cells. `cells` has an entry for each dimension of the variable,
/// `None` where it is not cut. `schema` is the input's. The variable's own lengths, chunks and shards are cut, and
/// filters are adapted to the chunks. Chunks keep their shape if a filter cannot be adapted.
pub fn cut(
    schema: &Schema,
    var: VarId,
    layout: &VariableLayout,
    cells: &[Option<&Cells>],
    registry: &Registry,
) -> VariableLayout {
    let mut new = layout.clone();
    for (extent, cells) in new.extent.iter_mut().zip(cells) {
        if let Some(cells) = cells {
            *extent = cells.within(*extent);
        }
    }
    let Storage::Chunked { shape } = &layout.storage else {
        return new;
    };
    let lengths = schema.shape(var);
    let shorter = |d: usize| cells[d].map(Cells::len).filter(|n| *n < lengths[d]);
    let cut: Vec<u64> = (0..shape.len())
        .map(|d| shorter(d).map_or(shape[d], |n| shape[d].min(n.max(1))))
        .collect();
    if let Some(shard) = &mut new.shard {
        for (d, length) in shard.iter_mut().enumerate() {
            if let Some(n) = shorter(d) {
                *length = (*length).min(n.div_ceil(cut[d]).max(1) * cut[d]);
            }
        }
    }
    if cut == *shape {
        return new;
    }
    match adapted(schema, var, layout, &new, &cut, registry) {
        Ok(filters) => {
            new.filters = filters;
            new.storage = Storage::Chunked { shape: cut };
        }
        Err(_) => new.shard.clone_from(&layout.shard),
    }
    new
}

/// The filters of `layout`, for chunks of shape `cut` of a variable that is stored as `new`.
fn adapted(
    schema: &Schema,
    var: VarId,
    layout: &VariableLayout,
    new: &VariableLayout,
    cut: &[u64],
    registry: &Registry,
) -> Result<Vec<CodecSpec>> {
    let ty = schema.var(var).ty;
    let from = ChunkType::new(schema, ty, layout, layout.chunk_shape()).with_fill(&layout.fill);
    let to = ChunkType::new(schema, ty, new, cut).with_fill(&new.fill);
    moved_filters(registry, &from, &to, &layout.filters)
}

/// The filters of chunks of type `from`, for chunks of type `to`.
///
/// # Errors
/// A filter that chunks of that type cannot have.
pub fn moved_filters(
    registry: &Registry,
    from: &ChunkType,
    to: &ChunkType,
    filters: &[CodecSpec],
) -> Result<Vec<CodecSpec>> {
    let (mut before, mut after) = (registry.begin(from), registry.begin(to));
    let mut all = Vec::with_capacity(filters.len());
    for filter in filters {
        let given = before.pass(filter).into_owned();
        let moved = registry.moved(filter, &given, after.given())?;
        after.pass(&moved);
        all.push(moved);
    }
    Ok(all)
}

/// The layout of a variable that is read by regions, for the copy engine.
pub fn by_regions(schema: &Schema, var: VarId, cut: &VariableLayout) -> VariableLayout {
    let size = schema.type_size(schema.var(var).ty);
    let extent = cut.extent.clone();
    debug_assert!(element_count(&extent).is_some());
    VariableLayout::contiguous(extent, size, Encoding::Structured).with_fill(cut.fill.clone())
}
