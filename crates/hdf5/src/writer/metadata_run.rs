//! [`MetadataRun`]: contiguous metadata, in few writes.

use crate::Result;

/// Size of the pieces in which metadata is written, in bytes.
const PIECE: usize = 1 << 20;

/// Collects contiguous metadata into larger writes.
pub(super) struct MetadataRun<W> {
    /// Writes bytes at an address.
    write: W,
    start: u64,
    bytes: Vec<u8>,
}

impl<W: Fn(u64, &[u8]) -> Result<()>> MetadataRun<W> {
    /// Begins at an address. `write` writes bytes at one.
    pub(super) fn new(start: u64, write: W) -> Self {
        Self {
            write,
            start,
            bytes: Vec::new(),
        }
    }

    /// Adds bytes, which follow those before.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PIECE {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes zeros up to an address.
    pub(super) fn go_to(&mut self, address: u64) -> Result<()> {
        let here = self.start.saturating_add(self.bytes.len() as u64);
        let mut left = address.saturating_sub(here);
        while left > 0 {
            let zeros = vec![0; left.min(PIECE as u64) as usize];
            left -= zeros.len() as u64;
            self.push(&zeros)?;
        }
        Ok(())
    }

    /// Leaves room for bytes that are written later.
    pub(super) fn leave_out(&mut self, length: usize) -> Result<()> {
        self.flush()?;
        self.start += length as u64;
        Ok(())
    }

    /// Writes what was collected.
    pub(super) fn flush(&mut self) -> Result<()> {
        (self.write)(self.start, &self.bytes)?;
        self.start += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }
}
