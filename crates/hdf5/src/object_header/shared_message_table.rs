//! The Shared Message Table message, and the table (specification sections IV.A.2.p and III.I).
//!
//! A message shared by several object headers is an object in a fractal heap. There is one heap for each group of
//! message types. Headers refer to the message by its heap identifier. The indexes of the heaps only serve
//! writers, to find equal messages.

use crate::error::Result;
use crate::metadata::{Cursor, MetadataReader};
use crate::object_header::message_type;

const WHAT: &str = "shared object header message table";

/// Heaps of shared messages, by message type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SharedMessageTable {
    heaps: Vec<(u16, u64)>,
    /// Indexes of the messages, which only serve writers.
    pub(crate) indexes: Vec<MessageIndex>,
}

/// The index of the messages of a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageIndex {
    /// A list at this address, with room for this many messages.
    List(u64, u16),
    /// A version 2 B-tree with its header at this address.
    Btree(u64),
}

impl SharedMessageTable {
    /// Reads the table that the message in the superblock extension refers to.
    pub(crate) fn read(reader: &MetadataReader, message: &mut Cursor<'_>) -> Result<Self> {
        message.version(0)?;
        let address = message.defined_offset()?;
        let count = usize::from(message.u8()?);

        let entry_size = 14 + 2 * usize::from(reader.offset_size());
        let bytes = reader.read_checked(WHAT, address, 4 + count * entry_size + 4)?;
        let mut table = reader.cursor(WHAT, address, &bytes);
        table.signature(b"SMTB")?;
        reader.takes(address, bytes.len() as u64);
        let mut heaps = Vec::with_capacity(count);
        let mut indexes = Vec::new();
        for _ in 0..count {
            table.version(0)?;
            let is_tree = table.u8()? != 0;
            let message_types = table.u16()?;
            table.skip(4)?; // size of the smallest message that is shared
            let room = table.u16()?;
            table.skip(2 + 2)?; // counts: for writers
            indexes.extend(table.offset()?.map(|index| match is_tree {
                true => MessageIndex::Btree(index),
                false => MessageIndex::List(index, room),
            }));
            if let Some(heap) = table.offset()? {
                heaps.push((message_types, heap));
            }
        }
        Ok(Self { heaps, indexes })
    }

    /// Addresses of all heaps.
    pub(crate) fn heaps(&self) -> impl Iterator<Item = u64> + '_ {
        self.heaps.iter().map(|(_, heap)| *heap)
    }

    /// Address of the fractal heap for shared messages of a type; `None` if there is none.
    pub(crate) fn heap(&self, of_type: u16) -> Option<u64> {
        // Both kinds of fill values share a heap.
        let of_type = match of_type {
            message_type::OLD_FILL_VALUE => message_type::FILL_VALUE,
            other => other,
        };
        let bit = 1u16.checked_shl(of_type.into())?;
        self.heaps
            .iter()
            .find(|(types, _)| types & bit != 0)
            .map(|(_, heap)| *heap)
    }
}
