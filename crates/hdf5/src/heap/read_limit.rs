//! Limits the bytes read from an open heap.
//!
//! Objects of a heap are small in practice, but a damaged file can refer to the same megabytes a hundred thousand
//! times. No single reference is wrong, so the sum is limited.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Result;
use crate::metadata::MetadataReader;

/// The bytes that may still be read from a heap.
#[derive(Debug)]
pub(crate) struct ReadLimit {
    reader: MetadataReader,
    left: AtomicU64,
}

impl ReadLimit {
    /// Enough to read a whole heap of the file several times.
    pub(crate) fn new(reader: &MetadataReader) -> Self {
        Self {
            reader: reader.clone(),
            left: AtomicU64::new(
                reader
                    .file_size()
                    .saturating_mul(8)
                    .saturating_add(reader.limits().heap_bytes),
            ),
        }
    }

    /// Takes `len` bytes for an object of the heap `what` at `address`.
    pub(crate) fn take(&self, what: &'static str, address: u64, len: u64) -> Result<()> {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(len))
            .map(drop)
            .map_err(|_| {
                self.reader
                    .damaged(what, address, "its objects are together far larger than the file")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends() {
        let reader = MetadataReader::new(std::sync::Arc::new(vec![0]), 0, 8, 8).unwrap();
        let read_limit = ReadLimit::new(&reader);
        read_limit.take("heap", 0, reader.limits().heap_bytes).unwrap();
        assert!(read_limit.take("heap", 0, 9).is_err());
        read_limit.take("heap", 0, 8).unwrap();
        assert!(read_limit.take("heap", 0, 1).is_err());
    }
}
