//! [`ReferencedArray`]: what an output of references must know of an array.

use std::fmt;
use std::io;

/// Makes the value of a chunk that holds only fill values.
type Fill = dyn Fn() -> io::Result<Vec<u8>> + Send + Sync;

/// An array whose chunks are references.
pub struct ReferencedArray {
    /// The path of the array: the beginning of the keys of its chunks.
    pub path: String,
    /// Its length, and that of a chunk, along each dimension.
    pub shape: Vec<(u64, u64)>,
    /// The names of its dimensions.
    pub dimensions: Vec<String>,
    /// The number of its chunks along each dimension.
    pub counts: Vec<u64>,
    /// Makes the value of a chunk that holds only fill values, for outputs in which none may be missing.
    pub fill: Box<Fill>,
}

impl ReferencedArray {
    /// The number of all chunks.
    pub fn chunks(&self) -> u64 {
        self.counts
            .iter()
            .fold(1, |all, count| all.saturating_mul(*count))
    }

    /// The number of a chunk, by the end of its key: coordinates with dots between them, or `0` for the chunk of a scalar.
    pub fn chunk(&self, name: &str) -> Option<u64> {
        if self.counts.is_empty() {
            return (name == "0").then_some(0);
        }
        let mut coordinates = name.split('.');
        let mut number = 0u64;
        for count in &self.counts {
            let at: u64 = coordinates.next()?.parse().ok()?;
            number = number
                .checked_mul(*count)?
                .checked_add(at)
                .filter(|_| at < *count)?;
        }
        coordinates.next().is_none().then_some(number)
    }
}

impl fmt::Debug for ReferencedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferencedArray")
            .field("path", &self.path)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}
