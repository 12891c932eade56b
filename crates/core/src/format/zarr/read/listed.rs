//! [`Listed`]: the chunks of an array that exist, listed once, whoever asks first.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::chunk::ChunkGrid;
use crate::error::Result;
use crate::model::{ChunkKeys, KeySeparator};

/// The chunks of an array that exist.
pub(super) struct StoredChunks {
    /// The form of their keys.
    pub(super) keys: ChunkKeys,
    /// Their numbers, ascending; `None` if the store cannot tell.
    pub(super) numbers: Option<Vec<u64>>,
    /// The handles of their keys, by position among `numbers`. Empty if the store has none.
    pub(super) handles: Vec<u32>,
}

impl StoredChunks {
    /// The handle of a chunk's key, if the store has handles.
    pub(super) fn handle(&self, chunk: u64) -> Option<u32> {
        let (numbers, count) = (self.numbers.as_ref()?, self.handles.len());
        // Most often all are there.
        let at = usize::try_from(chunk)
            .ok()
            .filter(|at| numbers.get(*at) == Some(&chunk));
        let at = match (count, at) {
            (0, _) => return None,
            (_, Some(at)) => at,
            (_, None) => numbers.binary_search(&chunk).ok()?,
        };
        self.handles.get(at).copied()
    }
}

/// The chunks of an array that exist, once they were listed.
#[derive(Default)]
pub(super) struct Listed {
    found: OnceLock<StoredChunks>,
    /// Held while they are listed: a list takes many requests, and many threads ask at once.
    listing: Mutex<()>,
}

impl Listed {
    /// The chunks, if they were listed.
    pub(super) fn get(&self) -> Option<&StoredChunks> {
        self.found.get()
    }

    /// The chunks. The first call lists them; other threads wait for it.
    ///
    /// # Errors
    /// Those of `list`. The next call tries it again.
    pub(super) fn get_or_list(&self, list: impl FnOnce() -> Result<StoredChunks>) -> Result<&StoredChunks> {
        if let Some(found) = self.found.get() {
            return Ok(found);
        }
        let _alone = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = self.found.get() {
            return Ok(found);
        }
        let listed = list()?;
        Ok(self.found.get_or_init(|| listed))
    }
}

/// Finds the chunks of an array among names: its keys without the array's path, each with what is known of it.
pub(super) struct ChunkNames<'g, T> {
    grid: &'g ChunkGrid,
    /// The form of the keys if the metadata tells it.
    keys: Option<ChunkKeys>,
    found: Vec<(u64, T)>,
    /// Chunks in folders. Some writers put them there and do not say so.
    nested: Vec<(u64, T)>,
}

/// Keys in folders.
const NESTED: ChunkKeys = ChunkKeys {
    separator: KeySeparator::Slash,
    ..ChunkKeys::V2
};

impl<'g, T> ChunkNames<'g, T> {
    /// No name yet. `keys` is the form of the names if the metadata tells it.
    pub(super) fn new(keys: Option<ChunkKeys>, grid: &'g ChunkGrid) -> Self {
        Self {
            grid,
            keys,
            found: Vec::new(),
            nested: Vec::new(),
        }
    }

    /// Looks at a name.
    pub(super) fn add(&mut self, name: &str, of: T) {
        match self.keys.unwrap_or(ChunkKeys::V2).chunk(name, self.grid) {
            Some(chunk) => self.found.push((chunk, of)),
            None if self.keys.is_none() => {
                self.nested
                    .extend(NESTED.chunk(name, self.grid).map(|chunk| (chunk, of)));
            }
            None => {}
        }
    }

    /// The form of the keys, and the chunks' numbers, ascending, each once.
    pub(super) fn finish(self) -> (ChunkKeys, Vec<(u64, T)>) {
        let (keys, mut found) = match (self.keys, self.found.is_empty() && !self.nested.is_empty()) {
            (Some(form), _) => (form, self.found),
            (None, true) => (NESTED, self.nested),
            (None, false) => (ChunkKeys::V2, self.found),
        };
        // Of equal ones, the first counts.
        found.sort_by_key(|(number, _)| *number);
        found.dedup_by_key(|(number, _)| *number);
        (keys, found)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::error::Error;

    #[test]
    fn many_threads_list_once() {
        let (listed, lists) = (Listed::default(), AtomicUsize::new(0));
        assert!(
            listed
                .get_or_list(|| Err(Error::Internal(String::new())))
                .is_err()
        );
        let list = || {
            lists.fetch_add(1, Ordering::Relaxed);
            Ok(StoredChunks {
                keys: ChunkKeys::V2,
                numbers: Some(vec![3]),
                handles: Vec::new(),
            })
        };
        let all = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    all.wait();
                    let found = listed.get_or_list(list).unwrap();
                    assert_eq!(found.numbers, Some(vec![3]));
                });
            }
        });
        assert_eq!(lists.into_inner(), 1);
        assert!(listed.get().is_some());
    }
}
