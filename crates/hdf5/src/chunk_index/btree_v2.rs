//! Version 2 B-tree chunk index (specification section VII.E): records of types 10 and 11.

use crate::btree::v2;
use crate::error::Result;
use crate::metadata::MetadataReader;

use super::entry::EntryFormat;
use super::runs::EntryForm;
use super::table::TableBuilder;

const WHAT: &str = "version 2 B-tree of chunks";

/// Record type of chunks without filters.
const UNFILTERED: u8 = 10;
/// Record type of chunks with filters.
const FILTERED: u8 = 11;

/// True if records of this type are of chunks with filters, false if of those without; `None` of other types.
pub(super) fn is_filtered(record_type: u8) -> Option<bool> {
    match record_type {
        UNFILTERED => Some(false),
        FILTERED => Some(true),
        _ => None,
    }
}

/// Reads the chunks of the tree with its header at `address`, of a dataset of `rank` dimensions.
pub(super) fn read(
    reader: &MetadataReader,
    address: u64,
    rank: usize,
    chunk_size: u64,
    table: &mut TableBuilder<'_>,
) -> Result<()> {
    let header = v2::Header::read(reader, address)?;
    let kind = header.record_type;
    let filtered =
        is_filtered(kind).ok_or_else(|| reader.damaged(WHAT, address, format!("records of type {kind}")))?;
    // A record is an array index entry followed by the chunk's coordinates, in chunks.
    let format = header
        .record_size
        .checked_sub(8 * rank)
        .and_then(|size| EntryFormat::new(filtered, size, reader.offset_size(), chunk_size))
        .ok_or_else(|| reader.damaged(WHAT, address, format!("records of {} bytes", header.record_size)))?;
    table.entries_are(EntryForm::BtreeV2(format));
    let mut coordinates = vec![0; rank];
    let whole = header.visit_at(reader, |at, record| {
        let mut record = reader.cursor(WHAT, address, record);
        match format.decode_placed(&mut record, &mut coordinates)? {
            Some(entry) => table.push_at(&coordinates, entry, Some(at)),
            None => Ok(()),
        }
    });
    whole.map(drop)
}
