//! Groups: reads the links of old-style groups (symbol table) and new-style groups (messages, or dense storage in a
//! fractal heap).

mod symbol_table;

use crate::btree::record;
use crate::error::Result;
use crate::heap::fractal::FractalHeap;
use crate::messages::link_info::LinkInfo;
use crate::messages::message_type;
use crate::messages::shared::SharedMessages;
use crate::messages::symbol_table::SymbolTable;
use crate::object_header::ObjectHeader;
use crate::reader::bytes::MetadataReader;

/// Typical maximum size of a heap's or B-tree's header, in bytes, for reading ahead.
const HEAD: u64 = 256;

/// The links of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Links {
    /// True if the group tracks the creation order of its links.
    pub creation_order_tracked: bool,
    /// The links, by creation order if it is tracked, else by the bytes of their names.
    pub links: Vec<Link>,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Creation order: a number that is higher for a later link.
    pub creation_order: Option<u64>,
    /// Its target.
    pub target: LinkTarget,
}

/// Target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkTarget {
    /// The object at this address.
    Hard(u64),
    /// A path in the same file, absolute or relative to the link's group.
    Soft(String),
    /// A path in another file.
    External {
        /// The other file's name.
        file: String,
        /// The path in it.
        path: String,
    },
    /// A type registered by a program, which alone knows the target.
    UserDefined {
        /// The type: 65 to 255.
        class: u8,
        /// The content.
        data: Vec<u8>,
    },
}

impl LinkTarget {
    /// Address of the object, for a hard link.
    pub fn address(&self) -> Option<u64> {
        match self {
            Self::Hard(address) => Some(*address),
            Self::Soft(_) | Self::External { .. } | Self::UserDefined { .. } => None,
        }
    }
}

/// Adds the links in dense storage, which the message at `address` tells of.
fn read_dense(reader: &MetadataReader, info: &LinkInfo, address: u64, links: &mut Vec<Link>) -> Result<()> {
    let Some(heap) = info.heap else { return Ok(()) };
    let Some(name_index) = info.name_index else {
        return Err(reader.damaged("link info message", address, "a heap of links without an index"));
    };
    reader.expect([(heap, HEAD), (name_index, HEAD)]);
    let objects = FractalHeap::open(reader, heap)?;
    for record in record::links(reader, name_index)? {
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
        let info = LinkInfo::decode(&mut shared.resolve(message)?.cursor())?;
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
