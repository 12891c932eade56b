//! Reads that are announced: all that will be read of a slow source is fetched in one step.

use std::io;

use super::misses::Misses;
use super::reader::MetadataReader;

impl MetadataReader {
    /// An empty set of misses, with the room of this file's cache.
    pub(crate) fn misses(&self) -> Misses {
        Misses::new(self.cache().room())
    }

    /// Fetches the missed blocks, and returns how many were kept.
    ///
    /// # Errors
    /// Errors of the source. A later read of the missing bytes will meet the error again, and report it in context.
    pub(crate) fn fetch(&self, misses: &Misses) -> io::Result<usize> {
        let missed = misses.take();
        misses.spend(self.cache().fetch(&missed, misses.room())?);
        Ok(missed.len())
    }

    /// Announces reads, as addresses and lengths in bytes. If the source is slow, they are fetched in one step. Lengths
    /// may be estimates.
    ///
    /// Returns how many of the places may be read now, at least one. Places behind those are to be announced again, as there was no room
    /// for them in the cache.
    pub(crate) fn expect(&self, places: impl IntoIterator<Item = (u64, u64)>) -> usize {
        if !self.is_slow() {
            return usize::MAX;
        }
        let mut count = 0;
        let cache = self.cache();
        let here = self.misses.is_none().then(|| self.misses());
        for (address, len) in places {
            if here
                .as_ref()
                .or(self.misses.as_deref())
                .is_some_and(Misses::is_full)
            {
                break;
            }
            count += 1;
            if address < self.file_size() {
                let len = len.min(self.file_size() - address);
                let missing = cache.announced(self.absolute(address), len);
                if let Some(misses) = here.as_ref().or(self.misses.as_deref()) {
                    misses.wanted(&missing);
                }
            }
        }
        if let Some(here) = here {
            // An error will occur again when the bytes are read.
            let _ = self.fetch(&here);
        }
        count.max(1)
    }
}
