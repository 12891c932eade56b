//! Entries of the array indexes (specification sections VII.C and VII.D, "Data Block Element").

use crate::error::Result;
use crate::reader::bytes::{Cursor, MetadataReader};

/// Where a chunk is, as an index has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Address in the file, without the base address.
    pub(super) address: u64,
    /// Size as stored, in bytes.
    pub(super) size: u64,
    /// Bit i set: filter i of the pipeline was not applied.
    pub(super) filter_mask: u32,
}

/// How an index stores one chunk: only its address, or with filters its address, size and filter mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryFormat {
    /// Bytes of one entry.
    pub(super) size: usize,
    /// Bytes of the stored size; 0 without filters.
    size_width: usize,
    /// The size of a chunk without filters, in bytes.
    chunk_size: u64,
}

impl EntryFormat {
    /// The format of entries of `size` bytes.
    ///
    /// How wide the size of a filtered chunk is depends on the version of the Data Layout message: up to version 4 one
    /// byte more than the size of a whole chunk needs, from version 5 on the size of lengths. Either way it is what
    /// the entry has left beside the address and the filter mask.
    pub(super) fn new(filtered: bool, size: usize, offset_size: u8, chunk_size: u64) -> Option<Self> {
        let fixed = usize::from(offset_size);
        let size_width = if filtered {
            size.checked_sub(fixed + 4)
                .filter(|width| (1..=8).contains(width))?
        } else {
            size.checked_sub(fixed).filter(|rest| *rest == 0)?
        };
        Some(Self {
            size,
            size_width,
            chunk_size,
        })
    }

    /// The format that a client identifier (0: chunks without filters, 1: with filters) and the size of an entry
    /// stand for, in the array header at `address`.
    pub(super) fn of_client(
        reader: &MetadataReader,
        what: &'static str,
        address: u64,
        client: u8,
        size: u8,
        chunk_size: u64,
    ) -> Result<Self> {
        (client <= 1)
            .then(|| Self::new(client == 1, usize::from(size), reader.offset_size(), chunk_size))
            .flatten()
            .ok_or_else(|| {
                reader.damaged(
                    what,
                    address,
                    format!("entries of {size} bytes for client {client}"),
                )
            })
    }

    /// Reads one entry; `None` for a chunk that is not stored.
    pub(super) fn decode(&self, bytes: &mut Cursor<'_>) -> Result<Option<Entry>> {
        let address = bytes.offset()?;
        let (size, filter_mask) = match self.size_width {
            0 => (self.chunk_size, 0),
            width => (bytes.uint(width)?, bytes.u32()?),
        };
        Ok(address.map(|address| Entry {
            address,
            size,
            filter_mask,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_from_the_entry_size() {
        assert_eq!(EntryFormat::new(false, 8, 8, 1).unwrap().size_width, 0);
        assert_eq!(EntryFormat::new(true, 14, 8, 1).unwrap().size_width, 2);
        assert_eq!(EntryFormat::new(true, 20, 8, 1).unwrap().size_width, 8);
        assert_eq!(EntryFormat::new(true, 21, 8, 1), None);
        assert_eq!(EntryFormat::new(true, 12, 8, 1), None);
        assert_eq!(EntryFormat::new(false, 12, 8, 1), None);
    }
}
