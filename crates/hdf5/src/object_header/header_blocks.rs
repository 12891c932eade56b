//! Records which object header owns which block of the file.
//!
//! In a sound file, the blocks of object headers do not overlap. In a damaged one, many small headers may continue into
//! the same large block, and reading them all would take time out of proportion to the file's size.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::metadata::MetadataReader;

/// The blocks read so far in one file.
#[derive(Debug, Default)]
pub(crate) struct HeaderBlocks(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// Address of a block ─► address of the header that owns it.
    owners: HashMap<u64, u64>,
    /// Sum of the blocks' sizes in bytes.
    total: u64,
}

impl HeaderBlocks {
    /// True if a header has a block at this address.
    pub(crate) fn has(&self, block: u64) -> bool {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.owners.contains_key(&block)
    }

    /// Notes that the header at `header` has a block of `len` bytes at `block`.
    ///
    /// Fails if another header owns it, or if all blocks together are so large that they must overlap.
    pub(crate) fn enter(
        &self,
        reader: &MetadataReader,
        what: &'static str,
        header: u64,
        block: u64,
        len: u64,
    ) -> Result<()> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.owners.get(&block) {
            Some(owner) if *owner == header => return Ok(()),
            Some(owner) => {
                let why = format!("the object header at address {owner} has it, too");
                return Err(reader.damaged(what, block, why));
            }
            None => {}
        }
        // The limit is twice the file's size: a damaged link may lead to bytes that only look like a header, and the
        // sound headers should still be read.
        let total = seen.total.saturating_add(len);
        if total > reader.file_size().saturating_mul(2) {
            return Err(reader.damaged(what, block, "it overlaps others of its kind"));
        }
        seen.total = total;
        seen.owners.insert(block, header);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_one_owner_and_all_fit_in_the_file() {
        let reader = MetadataReader::new(std::sync::Arc::new(vec![0; 100]), 0, 8, 8).unwrap();
        let blocks = HeaderBlocks::default();
        for _ in 0..100 {
            blocks.enter(&reader, "block", 0, 10, 50).unwrap();
        }
        assert!(blocks.enter(&reader, "block", 1, 10, 50).is_err());
        blocks.enter(&reader, "block", 1, 11, 100).unwrap();
        assert!(blocks.enter(&reader, "block", 2, 12, 51).is_err());
    }
}
