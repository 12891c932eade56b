//! The records of version 2 B-trees (specification section III.A.2, "Version 2 B-tree, Type … Record Layout").
//!
//! Chunk records (types 10 and 11) vary in width, and are in [`chunk_index`](crate::chunk_index). Records of shared
//! messages (type 7) are not needed, because references to shared messages hold their heap identifier.

use std::collections::HashSet;
use std::hash::Hash;

use crate::error::{Error, Result};
use crate::metadata::{Cursor, MetadataReader};

use super::v2;

const WHAT: &str = "version 2 B-tree record";

/// Type 1: a huge object of a fractal heap, by its key, unfiltered.
pub(crate) const HUGE_INDIRECT: u8 = 1;
/// Type 2: a huge object of a fractal heap, by its key, filtered.
pub(crate) const HUGE_INDIRECT_FILTERED: u8 = 2;
/// Type 5: a link of a group, by the hash of its name.
pub(crate) const LINK_NAME: u8 = 5;
/// Type 6: a link of a group, by its creation order.
pub(crate) const LINK_CREATION_ORDER: u8 = 6;
/// Type 8: an attribute, by the hash of its name.
pub(crate) const ATTRIBUTE_NAME: u8 = 8;
/// Type 9: an attribute, by its creation order.
pub(crate) const ATTRIBUTE_CREATION_ORDER: u8 = 9;

/// Size of the heap identifier of a link, in bytes.
pub(crate) const LINK_HEAP_ID: usize = 7;
/// Size of the heap identifier of an attribute, in bytes.
pub(crate) const MESSAGE_HEAP_ID: usize = 8;

/// Position of a huge object of a fractal heap (types 1 and 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HugeRecord {
    /// The key in the heap identifier.
    pub(crate) key: u64,
    /// The object's address.
    pub(crate) address: u64,
    /// Its stored size, in bytes.
    pub(crate) length: u64,
    /// Set in a heap with filters.
    pub(crate) filtered: Option<FilteredHuge>,
}

/// Further fields of a filtered huge object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilteredHuge {
    /// Bit i set: filter i was skipped.
    pub(crate) mask: u32,
    /// The object's size before filters, in bytes.
    pub(crate) size: u64,
}

impl HugeRecord {
    /// Parses the fields from an identifier that holds them all. Records of trees begin with the same fields. There is
    /// no key.
    pub(crate) fn direct(bytes: &mut Cursor<'_>, is_filtered: bool) -> Result<Self> {
        Ok(Self {
            key: 0,
            address: bytes.defined_offset()?,
            length: bytes.length()?,
            filtered: match is_filtered {
                true => Some(FilteredHuge {
                    mask: bytes.u32()?,
                    size: bytes.length()?,
                }),
                false => None,
            },
        })
    }
}

/// A link (types 5 and 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkRecord {
    /// The link's creation order, in a tree sorted by it.
    pub(crate) creation_order: Option<u64>,
    /// Identifier of the Link message in the group's fractal heap.
    pub(crate) heap_id: [u8; LINK_HEAP_ID],
}

/// An attribute (types 8 and 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttributeRecord {
    /// Identifier of the Attribute message in the object's fractal heap, or in the heap of shared messages if the flags
    /// say so.
    pub(crate) heap_id: [u8; MESSAGE_HEAP_ID],
    /// Flags of the message.
    pub(crate) message_flags: u8,
    /// The attribute's creation order.
    pub(crate) creation_order: u32,
}

/// The links of the tree at `name_index`, in its order. Of a damaged file, also those that only the tree at `order_index` has.
pub(crate) fn links(
    reader: &MetadataReader,
    name_index: u64,
    order_index: Option<u64>,
) -> Result<Vec<LinkRecord>> {
    let trees = (name_index, order_index);
    either(
        reader,
        trees,
        |link: &LinkRecord| link.heap_id,
        |record_type, record| match record_type {
            LINK_NAME => {
                record.u32()?; // the hash: only of use in a search
                Ok(LinkRecord {
                    creation_order: None,
                    heap_id: record.array()?,
                })
            }
            LINK_CREATION_ORDER => Ok(LinkRecord {
                creation_order: Some(record.u64()?),
                heap_id: record.array()?,
            }),
            other => Err(unexpected(record, other)),
        },
    )
}

/// The attributes of the tree at `name_index`, in its order. Of a damaged file, also those that only the tree at `order_index` has.
pub(crate) fn attributes(
    reader: &MetadataReader,
    name_index: u64,
    order_index: Option<u64>,
) -> Result<Vec<AttributeRecord>> {
    let trees = (name_index, order_index);
    either(
        reader,
        trees,
        |attribute: &AttributeRecord| attribute.heap_id,
        |record_type, record| match record_type {
            ATTRIBUTE_NAME | ATTRIBUTE_CREATION_ORDER => Ok(AttributeRecord {
                heap_id: record.array()?,
                message_flags: record.u8()?,
                creation_order: record.u32()?,
            }),
            other => Err(unexpected(record, other)),
        },
    )
}

/// The huge objects of the tree at `address`, which must be of type 1 or 2. (Types 3 and 4 index objects whose address
/// is in the heap identifier, so the tree is not needed.)
pub(crate) fn huge_objects(reader: &MetadataReader, address: u64) -> Result<Vec<HugeRecord>> {
    let mut list = Vec::new();
    decode(
        reader,
        address,
        &mut list,
        |record_type, record| match record_type {
            HUGE_INDIRECT | HUGE_INDIRECT_FILTERED => {
                let object = HugeRecord::direct(record, record_type == HUGE_INDIRECT_FILTERED)?;
                Ok(HugeRecord {
                    key: record.length()?,
                    ..object
                })
            }
            other => Err(unexpected(record, other)),
        },
    )?;
    Ok(list)
}

/// Calls `visit` with the address and the stored size, in bytes, of each huge object of the tree at `address`. Records of all four
/// types begin with these.
pub(crate) fn huge_places(
    reader: &MetadataReader,
    address: u64,
    mut visit: impl FnMut(u64, u64),
) -> Result<()> {
    let header = v2::Header::read(reader, address)?;
    header.visit(reader, |record| {
        let mut record = reader.cursor(WHAT, address, record);
        visit(record.defined_offset()?, record.length()?);
        Ok(())
    })?;
    Ok(())
}

/// The records of the first of two trees with the same objects. Of a damaged file whose first tree cannot be read as a whole, also the
/// other records of the second tree.
fn either<T, K: Hash + Eq>(
    reader: &MetadataReader,
    (first, second): (u64, Option<u64>),
    key: impl Fn(&T) -> K,
    one: impl Fn(u8, &mut Cursor<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let is_whole = decode(reader, first, &mut list, &one).or_else(|error| {
        reader.tolerate(error)?;
        Ok(false)
    })?;
    if let (false, Some(second)) = (is_whole, second) {
        let mut more = Vec::new();
        decode(reader, second, &mut more, &one)
            .map(drop)
            .or_else(|error| reader.tolerate(error))?;
        let known: HashSet<K> = list.iter().map(&key).collect();
        list.extend(more.into_iter().filter(|record| !known.contains(&key(record))));
    }
    Ok(list)
}

/// Adds the records of the tree at `address` to `list`. Returns false if there are more, in nodes that cannot be read.
fn decode<T>(
    reader: &MetadataReader,
    address: u64,
    list: &mut Vec<T>,
    mut one: impl FnMut(u8, &mut Cursor<'_>) -> Result<T>,
) -> Result<bool> {
    let header = v2::Header::read(reader, address)?;
    header.visit(reader, |record| {
        list.push(one(
            header.record_type,
            &mut reader.cursor(WHAT, address, record),
        )?);
        Ok(())
    })
}

fn unexpected(record: &Cursor<'_>, record_type: u8) -> Error {
    record.damaged(format!("records of type {record_type} do not belong here"))
}
