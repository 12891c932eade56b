//! The Shared Message Table message, and the table (specification sections IV.A.2.p and III.I).
//!
//! A message shared by several object headers is an object in a fractal heap. There is one heap for each group of
//! message types. Headers refer to the message by its heap identifier. The indexes of the heaps are not read: they only
//! serve writers, to find equal messages.

use crate::error::Result;
use crate::metadata::{Cursor, MetadataReader};
use crate::object_header::message_type;

const WHAT: &str = "shared object header message table";

/// Heaps of shared messages, by message type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SharedMessageTable {
    heaps: Vec<(u16, u64)>,
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
