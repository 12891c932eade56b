//! [`ReferencedArray`]: what an output of references must know of an array.

use std::fmt;
use std::io;

/// Makes the value of a chunk that holds only fill values.
type Fill = dyn Fn() -> io::Result<Vec<u8>> + Send + Sync;

/// An array whose chunks are references.
pub struct ReferencedArray {
    /// The path of the array: the beginning of the keys of its chunks.
    pub path: String,
    /// The number of its chunks along each dimension.
    pub counts: Vec<u64>,
    /// Makes the value of a chunk that holds only fill values, for outputs in which none may be missing.
    pub fill: Box<Fill>,
}

impl fmt::Debug for ReferencedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferencedArray")
            .field("path", &self.path)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}
