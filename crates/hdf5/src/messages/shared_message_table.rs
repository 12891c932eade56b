//! The Shared Message Table message, and the table (specification sections IV.A.2.p and III.I).
//!
//! A message that several object headers share is an object in a fractal heap; there is one heap for each group of
//! message types. Headers refer to it by its heap identifier, so the indexes beside the heaps, which only find equal
//! messages when writing, are not read.

use crate::error::Result;
use crate::messages::message_type;
use crate::reader::bytes::{Cursor, MetadataReader};

const WHAT: &str = "shared object header message table";

/// Where shared messages are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SharedMessageTable {
    heaps: Vec<(u16, u64)>,
}

impl SharedMessageTable {
    /// Reads the table that the message in the superblock extension points at.
    pub(crate) fn read(reader: &MetadataReader, message: &mut Cursor<'_>) -> Result<Self> {
        message.version(0)?;
        let address = message.defined_offset()?;
        let count = usize::from(message.u8()?);

        let entry_size = 14 + 2 * usize::from(reader.offset_size());
        let bytes = reader.read_checked(WHAT, address, 4 + count * entry_size + 4)?;
        let mut table = reader.cursor(WHAT, address, &bytes);
        table.signature(b"SMTB")?;
        let mut heaps = Vec::with_capacity(count);
        for _ in 0..count {
            table.version(0)?;
            table.u8()?; // list or B-tree
            let message_types = table.u16()?;
            table.skip(4 + 2 + 2 + 2)?; // sizes and counts: for writers
            table.offset()?; // the index
            if let Some(heap) = table.offset()? {
                heaps.push((message_types, heap));
            }
        }
        Ok(Self { heaps })
    }

    /// Address of the fractal heap of the shared messages of a type; `None` where there is none.
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
