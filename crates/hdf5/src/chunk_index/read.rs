//! Reads the chunk index of a dataset, of any type, into a [`ChunkTable`].

use super::entry::ChunkEntry;
use super::grid::{ArrayOrder, ChunkGrid};
use super::layout::ChunkIndex;
use super::layout::ChunkedLayout;
use super::loose_chunks::loose_chunks;
use super::table::ChunkTable;
use super::table::TableBuilder;
use super::{btree_v1, btree_v2, extensible_array, fixed_array};
use crate::dataspace::Dataspace;
use crate::error::Result;
use crate::metadata::MetadataReader;

const WHAT: &str = "chunked layout";

/// Reads the index of a dataset's chunks. `address` is the dataset's address, for messages. `found` are blocks of the index that
/// it does not lead to any more: nodes of a B-tree, the data block of a fixed array, or all blocks of an extensible array.
pub(crate) fn chunk_table(
    reader: &MetadataReader,
    address: u64,
    dataspace: &Dataspace,
    layout: &ChunkedLayout,
    found: &[u64],
) -> Result<ChunkTable> {
    let damaged = |why: &str| reader.damaged(WHAT, address, why);
    let (dims, max_dims) = match dataspace {
        Dataspace::Simple { dims, max_dims } => (dims, max_dims),
        // Libraries do not create chunked datasets without dimensions.
        Dataspace::Null | Dataspace::Scalar => return Err(damaged("the dataspace is not simple")),
    };
    if dims.len() != layout.shape.len() || max_dims.len() != dims.len() {
        return Err(damaged("chunks and dataspace differ in rank"));
    }
    let grid = ChunkGrid::new(dims, &layout.shape)
        .ok_or_else(|| damaged("chunks of no size, or more than can be counted"))?;
    let chunk_size = layout
        .chunk_size()
        .ok_or_else(|| damaged("chunks that are too large"))?;
    let order = || {
        ArrayOrder::new(dims, &layout.shape, max_dims)
            .ok_or_else(|| damaged("maximum dimensions that its chunk index cannot have"))
    };
    if grid.count() == 0 {
        return Ok(ChunkTable::empty(grid));
    }
    if let ChunkIndex::Implicit { address } = layout.index {
        // Space is there for the largest extent.
        let chunks = max_dims
            .iter()
            .zip(&layout.shape)
            .try_fold(chunk_size, |size, (max, length)| {
                max.and_then(|max| size.checked_mul(max.div_ceil(*length)))
            });
        reader.takes(address, chunks.unwrap_or_default());
        return ChunkTable::implicit(reader, address, chunk_size, grid, order()?);
    }
    // The first pass may leave entries in the file. If one is out of order, the second pass keeps all in memory.
    for keeps_all in [!found.is_empty(), true] {
        let mut table = TableBuilder::new(reader, address, &grid, keeps_all);
        let read = match layout.index {
            ChunkIndex::Unallocated | ChunkIndex::Implicit { .. } => Ok(()),
            ChunkIndex::BtreeV1 { address } => [address]
                .iter()
                .chain(found)
                .try_for_each(|node| btree_v1::read(reader, *node, &layout.shape, &mut table)),
            ChunkIndex::Single { address, filtered } => {
                let (size, mask) = filtered.unwrap_or((chunk_size, 0));
                let entry = ChunkEntry {
                    address,
                    size,
                    filter_mask: mask,
                };
                table.push(0, entry, None)
            }
            ChunkIndex::FixedArray { address } => {
                let order = order()?;
                let header = fixed_array::Header::read(reader, address, chunk_size);
                let header = match (header, found) {
                    (Err(error), [block]) => reader.tolerate(error).and_then(|()| {
                        let count = ArrayOrder::fixed_count(&layout.shape, max_dims)
                            .ok_or_else(|| damaged("a fixed array without a largest extent"))?;
                        fixed_array::Header::lost(reader, layout, chunk_size, *block, count).map(Some)
                    }),
                    (header, _) => header,
                };
                header.and_then(|header| match header {
                    Some(header) => fixed_array::read(reader, address, header, &order, &mut table),
                    None => Ok(()),
                })
            }
            ChunkIndex::ExtensibleArray { address } => {
                let order = order()?;
                let layout = (layout, chunk_size);
                extensible_array::read(reader, address, layout, found, &order, &mut table)
            }
            ChunkIndex::BtreeV2 { address } => {
                let tree = btree_v2::read(reader, address, dims.len(), chunk_size, &mut table);
                let nodes = |node: &u64| loose_chunks(reader, dims, layout, *node);
                match found {
                    [] => tree,
                    found => tree.or_else(|error| reader.tolerate(error)).and_then(|()| {
                        found.iter().map(nodes).try_for_each(|node| {
                            let mut chunks = node?.into_iter().flat_map(|node| node.chunks);
                            chunks.try_for_each(|chunk| {
                                let entry = ChunkEntry {
                                    address: chunk.address,
                                    size: chunk.size,
                                    filter_mask: chunk.filter_mask,
                                };
                                table.push(chunk.index, entry, None)
                            })
                        })
                    }),
                }
            }
        };
        read.or_else(|error| reader.tolerate(error))?;
        if let Some(table) = table.finish()? {
            return Ok(table);
        }
    }
    Err(damaged("its chunk index was changed while it was read"))
}
