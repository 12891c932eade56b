//! [`Listed`]: the chunks of an array that exist, listed once, whoever asks first.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::Result;
use crate::model::ChunkKeys;

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
