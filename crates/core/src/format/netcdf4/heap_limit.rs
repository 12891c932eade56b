//! [`HeapLimit`]: how much variable-length data may come out of a file.
//!
//! Several elements may refer to the same object, and data in memory may be larger than in the file. A small file could stand for any
//! amount of data.

use std::cell::Cell;

use crate::error::{Error, Result};

/// Bytes that a file of any size may give.
const SLACK: u64 = 256 << 20;

/// Bytes that the elements of one call may still take from a file's heap.
pub(super) struct HeapLimit(Cell<u64>);

impl HeapLimit {
    /// The limit for a file of `size` bytes: four times as much, and 256 MiB.
    pub(super) fn of_file(size: u64) -> Self {
        Self(Cell::new(size.saturating_mul(4).saturating_add(SLACK)))
    }

    /// Takes bytes from what is left.
    ///
    /// # Errors
    /// [`Error::Damaged`] if too little is left.
    pub(super) fn take(&self, bytes: u64) -> Result<()> {
        let left = self.0.get().checked_sub(bytes).ok_or_else(|| {
            Error::Damaged("variable-length data is many times larger than the file".into())
        })?;
        self.0.set(left);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_takes_count() {
        let limit = HeapLimit::of_file(100);
        limit.take(SLACK).unwrap();
        limit.take(399).unwrap();
        assert!(limit.take(2).is_err());
        limit.take(1).unwrap();
    }
}
