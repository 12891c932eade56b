//! Local heaps (specification section III.D): hold the names of an old-style group's links.

use crate::error::Result;
use crate::metadata::MetadataReader;

use super::read_limit::ReadLimit;

const WHAT: &str = "local heap";

/// Bytes that are read first to find the end of a string. Names are seldom longer.
const FIRST_READ: usize = 64;

/// An open local heap.
#[derive(Debug)]
pub(crate) struct LocalHeap {
    reader: MetadataReader,
    address: u64,
    segment: u64,
    segment_size: u64,
    read_limit: ReadLimit,
}

impl LocalHeap {
    /// Reads the heap's header at `address`.
    ///
    /// The bytes read from an open heap are limited, to several times the size of its group. So open it anew for each
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
        // libhdf5 rounds the size of the header up.
        reader.takes(address, size.next_multiple_of(8) as u64);
        reader.takes(segment, segment_size);
        Ok(Self {
            reader: reader.clone(),
            address,
            segment,
            segment_size,
            read_limit: ReadLimit::new(reader),
        })
    }

    /// Address and length, in bytes, of the data segment, which holds the strings.
    pub(crate) fn segment(&self) -> (u64, u64) {
        (self.segment, self.segment_size)
    }

    /// The bytes of the NUL-terminated string at `offset` in the data segment, without the NUL.
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
            self.read_limit.take(WHAT, self.address, len as u64)?;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn heap(segment: &[u8]) -> LocalHeap {
        let mut file = b"HEAP\0\0\0\0".to_vec();
        file.extend((segment.len() as u64).to_le_bytes());
        file.extend([0xff; 8]);
        file.extend(32u64.to_le_bytes());
        file.extend(segment);
        LocalHeap::open(&MetadataReader::new(Arc::new(file), 0, 8, 8).unwrap(), 0).unwrap()
    }

    #[test]
    fn reads_strings_of_any_length() {
        let mut segment = b"\0name\0".to_vec();
        segment.extend([b'x'; 1000]);
        segment.push(0);
        let heap = heap(&segment);
        assert_eq!(heap.string(0).unwrap(), b"");
        assert_eq!(heap.string(1).unwrap(), b"name");
        assert_eq!(heap.string(3).unwrap(), b"me");
        assert_eq!(heap.string(6).unwrap(), [b'x'; 1000]);
    }

    #[test]
    fn refuses_strings_without_an_end() {
        for len in [1, 64, 65, 500] {
            let heap = heap(&vec![b'x'; len]);
            assert!(heap.string(0).is_err(), "{len}");
            assert!(heap.string(len as u64).is_err(), "{len}");
            assert!(heap.string(len as u64 + 1).is_err(), "{len}");
            assert!(heap.string(u64::MAX).is_err(), "{len}");
        }
    }

    #[test]
    fn the_same_name_ever_again_comes_to_an_end() {
        let mut segment = vec![b'x'; 1 << 20];
        segment.push(0);
        let heap = heap(&segment);
        assert!((0..1000).any(|_| heap.string(0).is_err()));
    }
}
