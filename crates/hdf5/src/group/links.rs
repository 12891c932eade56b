//! Reads the links of a group, of either style.

use super::link::{Link, Links};
use super::symbol_table;
use crate::btree::record;
use crate::error::Result;
use crate::heap::fractal::FractalHeap;
use crate::messages::dense_storage::DenseStorage;
use crate::messages::group::symbol_table::SymbolTable;
use crate::metadata::MetadataReader;
use crate::object_header::ObjectHeader;
use crate::object_header::SharedMessages;
use crate::object_header::message_type;

/// Typical maximum size of a heap's or B-tree's header, in bytes, for reading ahead.
const HEAD: u64 = 256;

/// Adds the links in dense storage, which the message at `address` tells of.
fn read_dense(
    reader: &MetadataReader,
    info: &DenseStorage,
    address: u64,
    links: &mut Vec<Link>,
) -> Result<()> {
    let Some(heap) = info.heap else { return Ok(()) };
    let Some(name_index) = info.name_index else {
        return Err(reader.damaged("link info message", address, "a heap of links without an index"));
    };
    reader.expect([(heap, HEAD), (name_index, HEAD)]);
    let objects = FractalHeap::open(reader, heap)?;
    for record in record::links(reader, name_index, info.order_index)? {
        let link = objects
            .object(&record.heap_id)
            .and_then(|data| Link::decode(&mut reader.cursor("link in dense storage", heap, &data)));
        match link {
            Ok(link) => links.push(link),
            Err(error) => reader.tolerate(error)?,
        }
    }
    Ok(())
}

/// Reads the links of the group described by `header`.
pub(crate) fn read(shared: &SharedMessages, header: &ObjectHeader) -> Result<Links> {
    let reader = &shared.reader;
    let mut links = Vec::new();
    let mut creation_order_tracked = false;
    if let Some(message) = header.first(message_type::SYMBOL_TABLE) {
        let table = SymbolTable::decode(&mut shared.resolve(message)?.cursor())?;
        let read = symbol_table::read(reader, table, &mut links);
        read.or_else(|error| reader.tolerate(error))?;
    }
    for message in header.all(message_type::LINK) {
        let link = shared
            .resolve(message)
            .and_then(|found| Link::decode(&mut found.cursor()));
        match link {
            Ok(link) => links.push(link),
            Err(error) => reader.tolerate(error)?,
        }
    }
    if let Some(message) = header.first(message_type::LINK_INFO) {
        let info = DenseStorage::of_links(&mut shared.resolve(message)?.cursor())?;
        creation_order_tracked = info.creation_order_tracked;
        let dense = read_dense(reader, &info, message.address, &mut links);
        dense.or_else(|error| reader.tolerate(error))?;
    }
    if creation_order_tracked {
        links.sort_by(|a, b| (a.creation_order, &a.name).cmp(&(b.creation_order, &b.name)));
    } else {
        links.sort_by(|a, b| a.name.cmp(&b.name));
    }
    Ok(Links {
        creation_order_tracked,
        links,
    })
}
