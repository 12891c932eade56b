//! Version 1 B-tree chunk index (specification section III.A.1, node type 1).

use crate::btree::v1;
use crate::error::Result;
use crate::metadata::MetadataReader;

use super::entry::ChunkEntry;
use super::runs::EntryForm;
use super::table::TableBuilder;

/// Reads the chunks of the tree with its root at `address`. `shape` is the shape of a chunk, in elements.
pub(super) fn read(
    reader: &MetadataReader,
    address: u64,
    shape: &[u64],
    table: &mut TableBuilder<'_>,
) -> Result<()> {
    table.entries_are(EntryForm::BtreeV1(shape.to_vec()));
    let mut coordinates = vec![0; shape.len()];
    v1::chunks(reader, address, shape.len(), |key, chunk| {
        for ((coordinate, offset), size) in coordinates.iter_mut().zip(key.offsets).zip(shape) {
            if offset.checked_rem(*size) != Some(0) {
                return reader.tolerate(reader.damaged(
                    "version 1 B-tree of chunks",
                    address,
                    format!("a chunk begins at element {offset}, which is not a multiple of {size}"),
                ));
            }
            *coordinate = offset / size;
        }
        let entry = ChunkEntry {
            address: chunk,
            size: u64::from(key.size),
            filter_mask: key.filter_mask,
        };
        table.push_at(&coordinates, entry, Some(key.at))
    })
}
