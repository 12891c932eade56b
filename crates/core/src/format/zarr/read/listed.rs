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

/// Finds the chunks of an array among `names`: its keys without the array's path, each with what is known of it. Returns the form
/// of the keys, and the chunks' numbers, ascending, each once. `keys` is the form if the metadata tells it.
pub(super) fn chunks_named<'k, T: Copy>(
    keys: Option<ChunkKeys>,
    names: impl Iterator<Item = (&'k str, T)> + Clone,
    grid: &ChunkGrid,
) -> (ChunkKeys, Vec<(u64, T)>) {
    let numbers = |form: ChunkKeys| -> Vec<(u64, T)> {
        let named = names.clone();
        let mut numbers: Vec<(u64, T)> = named
            .filter_map(|(name, of)| Some((form.chunk(name, grid)?, of)))
            .collect();
        numbers.sort_unstable_by_key(|(number, _)| *number);
        numbers.dedup_by_key(|(number, _)| *number);
        numbers
    };
    let nested = ChunkKeys {
        separator: KeySeparator::Slash,
        ..ChunkKeys::V2
    };
    match keys {
        Some(form) => (form, numbers(form)),
        // Some writers put chunks into folders and do not say so.
        None => match (numbers(ChunkKeys::V2), numbers(nested)) {
            (dotted, found) if dotted.is_empty() && !found.is_empty() => (nested, found),
            (dotted, _) => (ChunkKeys::V2, dotted),
        },
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
