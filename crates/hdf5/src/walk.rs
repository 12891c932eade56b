//! A guard for walks over structures that point at each other.
//!
//! A whole file's nodes do not overlap, so a walk that has read more bytes of nodes than the file has, or that comes
//! to a node a second time, is in a damaged file: this ends cycles and keeps every walk linear in the file's size.

use std::collections::HashSet;

use crate::error::Result;
use crate::reader::bytes::MetadataReader;

/// What one walk has seen so far.
#[derive(Debug)]
pub(crate) struct Walk {
    reader: MetadataReader,
    visited: HashSet<u64>,
    bytes_left: u64,
}

impl Walk {
    /// Begins a walk in the file that `reader` reads.
    pub(crate) fn new(reader: &MetadataReader) -> Self {
        Self {
            reader: reader.clone(),
            visited: HashSet::new(),
            bytes_left: reader.file_size(),
        }
    }

    /// Notes that `len` bytes of the structure `what` at `address` are about to be read.
    ///
    /// Fails with `Damaged` where the structure was visited before, or where the structures visited so far
    /// must overlap because together they are larger than the file.
    pub(crate) fn enter(&mut self, what: &'static str, address: u64, len: u64) -> Result<()> {
        if !self.visited.insert(address) {
            return Err(self
                .reader
                .damaged(what, address, "it is referred to more than once"));
        }
        self.spend(what, address, len)
    }

    /// Notes `len` further bytes of a structure that was entered before.
    pub(crate) fn spend(&mut self, what: &'static str, address: u64, len: u64) -> Result<()> {
        let left = self.bytes_left.checked_sub(len);
        self.bytes_left = left.ok_or_else(|| {
            self.reader
                .damaged(what, address, "it overlaps others of its kind")
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_cycles_and_overlaps() {
        let reader = MetadataReader::new(std::sync::Arc::new(vec![0; 100]), 0, 8, 8).unwrap();
        let mut walk = Walk::new(&reader);
        walk.enter("node", 0, 40).unwrap();
        walk.enter("node", 8, 40).unwrap();
        assert!(walk.enter("node", 0, 1).is_err());
        assert!(walk.enter("node", 16, 40).is_err());
    }
}
