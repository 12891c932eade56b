//! Chunks in nodes of version 2 B-trees that nothing leads to any more.

use super::btree_v2;
use super::entry::EntryFormat;
use super::grid::ChunkGrid;
use super::layout::ChunkedLayout;
use super::record::ChunkRecord;
use crate::btree::loose_node;
use crate::btree::v2::Header;
use crate::error::Result;
use crate::metadata::MetadataReader;

/// What a node says, if it is of a dataset.
#[derive(Debug)]
pub(crate) struct LooseChunks {
    /// True if the chunks have filters.
    pub(crate) is_filtered: bool,
    /// The chunks, in their order.
    pub(crate) chunks: Vec<ChunkRecord>,
    /// The nodes below it.
    pub(crate) children: Vec<u64>,
}

/// The chunks of the node at `address`, which ends before the next structure. `None` unless it can be of a dataset with this extent: all its
/// chunks are within it, in ascending order.
pub(crate) fn loose_chunks(
    reader: &MetadataReader,
    dims: &[u64],
    layout: &ChunkedLayout,
    address: u64,
) -> Result<Option<LooseChunks>> {
    let (Some(grid), Some(chunk_size)) = (ChunkGrid::new(dims, &layout.shape), layout.chunk_size()) else {
        return Ok(None);
    };
    let kind = loose_node::record_type(reader, address)?;
    let Some(is_filtered) = kind.and_then(btree_v2::is_filtered) else {
        return Ok(None);
    };
    let Some(format) = EntryFormat::of_layout(reader, layout, is_filtered, chunk_size) else {
        return Ok(None);
    };
    let [a, b, c, d, ..] = layout.creation.parameters;
    let size = format.size + 8 * grid.rank();
    let header = Header::lost(
        kind.unwrap_or_default(),
        size,
        u32::from_le_bytes([a, b, c, d]).into(),
    );
    let mut coordinates = vec![0; grid.rank()];
    let mut chunk = |record: &[u8]| {
        let mut record = reader.cursor("chunk record", address, record);
        let entry = format.decode_placed(&mut record, &mut coordinates).ok()??;
        Some(ChunkRecord {
            index: grid.linear(&coordinates)?,
            address: entry.address,
            size: entry.size,
            filter_mask: entry.filter_mask,
        })
    };
    let mut last = None;
    let node = loose_node::read(reader, &header, address, |record| {
        let index = chunk(record).map(|chunk| chunk.index);
        let follows = index.is_some() && last < index;
        last = index;
        follows
    })?;
    Ok(node.map(|node| LooseChunks {
        is_filtered,
        chunks: node.records.chunks_exact(size).filter_map(chunk).collect(),
        children: node.children,
    }))
}
