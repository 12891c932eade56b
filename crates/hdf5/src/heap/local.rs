//! Local heaps (specification section III.D): the names of an old-style group's links.

use crate::error::Result;
use crate::reader::bytes::MetadataReader;

use super::budget::Budget;

const WHAT: &str = "local heap";

/// What is read at first to find the end of a string; names are seldom longer.
const FIRST_READ: usize = 64;

/// An open local heap.
#[derive(Debug)]
pub(crate) struct LocalHeap {
    reader: MetadataReader,
    address: u64,
    segment: u64,
    segment_size: u64,
    budget: Budget,
}

impl LocalHeap {
    /// Reads the heap's header at `address`.
    ///
    /// A heap hands out a bounded number of bytes, enough to read its group several times: open it anew for each
    /// reading of the group.
    pub(crate) fn open(reader: &MetadataReader, address: u64) -> Result<Self> {
        let size = 8 + 2 * usize::from(reader.length_size()) + usize::from(reader.offset_size());
        let header = reader.read(WHAT, address, size)?;
        let mut header = reader.cursor(WHAT, address, &header);
        header.signature(b"HEAP")?;
        header.version(0)?;
        header.bytes(3)?;
        let segment_size = header.length()?;
        header.length()?; // the free list: for writers
        let segment = header.defined_offset()?;
        Ok(Self {
            reader: reader.clone(),
            address,
            segment,
            segment_size,
            budget: Budget::new(reader),
        })
    }

    /// The bytes of the NUL-terminated string at `offset` in the heap's data segment, without the NUL.
    pub(crate) fn string(&self, offset: u64) -> Result<Vec<u8>> {
        let room = self.segment_size.checked_sub(offset).ok_or_else(|| {
            self.reader.damaged(
                WHAT,
                self.address,
                format!("no string can begin at offset {offset}"),
            )
        })?;
        let start = self.segment.checked_add(offset).ok_or_else(|| {
            self.reader
                .damaged(WHAT, self.address, "its data segment is out of range")
        })?;
        let mut want = FIRST_READ;
        loop {
            let len = usize::try_from(room).map_or(want, |room| room.min(want));
            let mut bytes = self.reader.read("local heap data segment", start, len)?;
            self.budget.take(WHAT, self.address, len as u64)?;
            if let Some(end) = bytes.iter().position(|b| *b == 0) {
                bytes.truncate(end);
                return Ok(bytes);
            }
            if len < want {
                return Err(self.reader.damaged(
                    WHAT,
                    self.address,
                    format!("the string at offset {offset} has no end"),
                ));
            }
            want = want.saturating_mul(4);
        }
    }
}
