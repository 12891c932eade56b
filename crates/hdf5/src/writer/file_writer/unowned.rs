//! Space of a file that none of its objects owns. It lies inside the end of allocation, so libhdf5 neither cuts nor uses it.

use super::FileWriter;
use crate::{Error, Result};

impl FileWriter {
    /// The first address behind the metadata, at which chunks begin.
    pub fn data_start(&self) -> u64 {
        self.layout.end
    }

    /// Returns the address of `size` bytes that no object owns. [`write_at`](Self::write_at) writes them.
    ///
    /// # Errors
    /// The file would exceed 2^63 bytes.
    pub fn reserve(&self, size: u64) -> Result<u64> {
        let mut tail = self.tail();
        let place = self.layout.pages.place(tail.end, size);
        let place = place.ok_or_else(|| Error::Usage("the file would exceed 2^63 bytes".into()))?;
        let before = std::mem::replace(&mut tail.end, place.end);
        drop(tail);
        self.write_gap(&(before..place.start))?;
        self.write_gap(&(place.start + size..place.end))?;
        Ok(place.start)
    }
}
