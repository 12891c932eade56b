//! [`StreamEntry`]: where one block of a stream is, or a run of blocks.

use crate::format::archive::structure::block::{Content, HEADER, Header};

/// One entry of an index: a block, or a run of blocks of one repeated element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamEntry {
    /// Number of the first block.
    pub number: u64,
    /// Position of the block header in the archive.
    pub at: u64,
    /// The content; its checksum stands in the block header alone, and is 0 here.
    pub content: Content,
}

impl StreamEntry {
    /// The entry of a block whose header is at a position.
    pub fn of(header: &Header, at: u64) -> Self {
        let content = match header.content {
            Content::Stored { length, mask, .. } => Content::Stored { length, mask, crc: 0 },
            repeated @ Content::Repeated { .. } => repeated,
        };
        Self {
            number: header.number,
            at,
            content,
        }
    }

    /// Bytes of the header and of what follows it.
    pub fn stored(&self) -> usize {
        HEADER
            + match self.content {
                Content::Stored { length, .. } => length as usize,
                Content::Repeated { .. } => 0,
            }
    }

    /// Number of blocks.
    pub fn run(&self) -> u64 {
        match self.content {
            Content::Stored { .. } => 1,
            Content::Repeated { run, .. } => run.into(),
        }
    }

    /// The position after the block.
    pub fn end(&self) -> u64 {
        self.at.wrapping_add(self.stored() as u64)
    }

    /// True if `header` is the one that the entry tells of.
    pub fn agrees(&self, stream: usize, header: &Header) -> bool {
        header.stream as usize == stream && *self == Self::of(header, self.at)
    }

    /// The field of each column. `before` is the end of the entry before.
    pub(super) fn row(&self, before: u64) -> [u64; 6] {
        let gap = self.at.wrapping_sub(before);
        match self.content {
            Content::Stored { length, mask, .. } => [1, 0, mask.into(), 0, length.into(), gap],
            Content::Repeated { element, run } => [run.into(), 1, 0, u64::from_le_bytes(element), 0, gap],
        }
    }

    /// The entry of block `number` whose fields are those of a row. `None` if these contradict each other.
    pub fn of_row(row: [u64; 6], number: u64, before: u64) -> Option<Self> {
        let content = match row {
            [1, 0, mask, 0, length, _] => Content::Stored {
                length: length as u32,
                mask: mask as u16,
                crc: 0,
            },
            [run, 1, 0, element, 0, _] if run > 0 => Content::Repeated {
                element: element.to_le_bytes(),
                run: run as u32,
            },
            _ => return None,
        };
        Some(Self {
            number,
            at: before.wrapping_add(row[5]),
            content,
        })
    }
}
