//! Filters over a file's own structure.
//!
//! Filters belong to datasets, but a group may have them too: then the blocks and huge objects of the
//! [fractal heap](crate::heap::fractal) that holds its links are stored filtered. This crate runs no filter, so whoever
//! opens a file brings what does.

use crate::dataset::Filter;

/// What undoes filters.
pub trait FilterDecoder: Send + Sync {
    /// Undoes `filters`, which are in the order of encoding, on `stored`. Bit i of `mask` says that filter i was skipped.
    /// The result has exactly `size` bytes.
    ///
    /// # Errors
    /// Why it cannot be done, in words for the user: a filter that is not known, input that is damaged or of another size.
    fn decode(&self, filters: &[Filter], mask: u32, stored: &[u8], size: usize) -> Result<Vec<u8>, String>;
}
