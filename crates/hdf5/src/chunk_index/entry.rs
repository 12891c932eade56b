//! Entries of the array indexes (specification sections VII.C and VII.D, "Data Block Element").

use crate::error::{Error, Result};
use crate::metadata::{Cursor, MetadataReader};

use super::layout::ChunkedLayout;

/// Position of a chunk in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkEntry {
    /// Address in the file, relative to the base address.
    pub(super) address: u64,
    /// Stored size, in bytes.
    pub(super) size: u64,
    /// Bit i set: filter i of the pipeline was not applied.
    pub(super) filter_mask: u32,
}

/// Format of an entry: an address, or with filters an address, a stored size and a filter mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryFormat {
    /// Size of an entry, in bytes.
    pub(super) size: usize,
    /// Width of the stored size, in bytes; 0 without filters.
    size_width: usize,
    /// Size of an unfiltered chunk, in bytes.
    chunk_size: u64,
}

impl EntryFormat {
    /// The format of entries of `size` bytes.
    ///
    /// The width of a filtered chunk's size depends on the version of the Data Layout message. Up to version 4, it is
    /// one byte more than the size of a full chunk needs. From version 5 on, it is the size of lengths. In both cases,
    /// it is the rest of the entry beside address and filter mask.
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

    /// The format of entries of a dataset, without what the header of its index says of them.
    pub(super) fn of_layout(
        reader: &MetadataReader,
        layout: &ChunkedLayout,
        filtered: bool,
        chunk_size: u64,
    ) -> Option<Self> {
        let width = match layout.creation.has_wide_sizes {
            true => usize::from(reader.length_size()),
            false => (2 + chunk_size.checked_ilog2()? as usize / 8).min(8),
        };
        let fixed = usize::from(reader.offset_size());
        let size = if filtered { fixed + width + 4 } else { fixed };
        Self::new(filtered, size, reader.offset_size(), chunk_size)
    }

    /// The format for a client identifier (0: chunks without filters, 1: with filters) and an entry size, from the
    /// array header at `address`.
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

    /// Reads a record of a version 2 B-tree: an entry, and the coordinates of the chunk, in chunks. `None` if the chunk is not stored.
    pub(super) fn decode_placed(
        &self,
        record: &mut Cursor<'_>,
        coordinates: &mut [u64],
    ) -> Result<Option<ChunkEntry>> {
        let entry = self.decode(record)?;
        for coordinate in coordinates {
            *coordinate = record.u64()?;
        }
        Ok(entry)
    }

    /// Reads one entry; `None` if the chunk is not stored.
    pub(super) fn decode(&self, bytes: &mut Cursor<'_>) -> Result<Option<ChunkEntry>> {
        let address = bytes.offset()?;
        let (size, filter_mask) = match self.size_width {
            0 => (self.chunk_size, 0),
            width => (bytes.uint(width)?, bytes.u32()?),
        };
        Ok(address.map(|address| ChunkEntry {
            address,
            size,
            filter_mask,
        }))
    }
}

/// Fails if `size` bytes at `address` are not all in the file.
pub(super) fn check_stored(
    reader: &MetadataReader,
    what: &'static str,
    address: u64,
    size: u64,
) -> Result<()> {
    if address
        .checked_add(size)
        .is_none_or(|end| end > reader.file_size())
    {
        return Err(Error::Truncated {
            what,
            offset: reader.absolute(address),
            need: size,
        });
    }
    Ok(())
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
