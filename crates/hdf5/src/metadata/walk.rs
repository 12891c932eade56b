//! Guards a walk over structures that refer to each other.
//!
//! Nodes of a sound file do not overlap. So the file is damaged if a walk reads more bytes of nodes than the file has,
//! or visits a node twice. Checking both ends cycles, and keeps every walk linear in the file's size.

use std::collections::HashSet;

use crate::error::Result;
use crate::metadata::reader::MetadataReader;

/// Nodes visited in one walk.
#[derive(Debug)]
pub(crate) struct Walk {
    reader: MetadataReader,
    visited: HashSet<u64>,
    bytes_left: u64,
}

impl Walk {
    /// Begins a walk in the file of `reader`.
    pub(crate) fn new(reader: &MetadataReader) -> Self {
        Self {
            reader: reader.clone(),
            visited: HashSet::new(),
            bytes_left: reader.file_size(),
        }
    }

    /// Notes that `len` bytes of the structure `what` at `address` are about to be read.
    ///
    /// Fails with `Damaged` if the structure was visited before, or if all structures visited are together larger than
    /// the file, and so must overlap.
    pub(crate) fn enter(&mut self, what: &'static str, address: u64, len: u64) -> Result<()> {
        if !self.visited.insert(address) {
            return Err(self
                .reader
                .damaged(what, address, "it is referred to more than once"));
        }
        self.spend(what, address, len)
    }

    /// Notes `len` more bytes of a structure that was entered before.
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
