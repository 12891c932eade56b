//! [`Listing`]: a list of objects, whose tries go on where the one before broke off.
//!
//! ```text
//! first try ─► a, b, c, … ─► breaks behind m
//! next try, from behind m ─► n, o, …
//! ```

use std::sync::Arc;
use std::time::Duration;
use std::{io, mem};

use futures_util::TryStreamExt;
use object_store::ObjectMeta;
use object_store::path::Path;
use parking_lot::Mutex;

use crate::requests::{RemoteStore, Session, Task};
use crate::url::below;
use crate::wire::{Fault, Pages};

/// Upper limit of the objects of a list, which are held in memory.
const MOST: usize = 20_000_000;

/// Upper limit, in bytes, of all keys of a list.
const MOST_BYTES: usize = 1 << 30;

/// Longest time without an object. A server may send pages without objects for ever.
const SLOWEST: Duration = Duration::from_secs(180);

/// Number of new objects after which a try counts as progress. Single keys do not count, so that an endless list ends.
const PROGRESS: usize = 1000;

/// The objects of a bucket that are listed, in the order of their keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listing<'a> {
    /// The folder that they are in; `None` for the whole bucket.
    pub(crate) folder: Option<&'a Path>,
    /// The key that they come behind.
    pub(crate) after: Option<&'a str>,
    /// The last key that counts.
    pub(crate) last: Option<&'a str>,
    /// The number of objects, at most.
    pub(crate) most: usize,
}

/// What the tries of a list have found.
struct Found<T> {
    kept: Vec<T>,
    /// Bytes of the keys.
    bytes: usize,
    /// The key of the last object.
    last: Option<String>,
    /// False after a key that is not greater than the one before it. Such a list cannot be resumed from a key.
    is_sorted: bool,
}

impl<'a> Listing<'a> {
    /// All objects of a folder.
    pub(crate) fn of(folder: Option<&'a Path>) -> Self {
        Self {
            folder,
            after: None,
            last: None,
            most: usize::MAX,
        }
    }

    /// What `keep` makes of each object.
    ///
    /// # Errors
    /// Those of the session; keys of other folders, which some servers list.
    pub(crate) async fn objects<T>(
        self,
        session: &Session,
        task: &Task,
        keep: impl Fn(ObjectMeta) -> T,
    ) -> io::Result<Vec<T>> {
        let found = Mutex::new(Found::behind(self.after));
        session
            .tried(task, |store| Pages::of(self.tried(store, task, &found, &keep)))
            .await?;
        Ok(mem::take(&mut found.lock().kept))
    }

    async fn tried<T>(
        self,
        store: Arc<dyn RemoteStore>,
        task: &Task,
        found: &Mutex<Found<T>>,
        keep: &impl Fn(ObjectMeta) -> T,
    ) -> object_store::Result<()> {
        let (behind, before) = found.lock().resume(self.after);
        let mut objects = match &behind {
            Some(key) => store.list_with_offset(self.folder, &Path::parse(key)?),
            None => store.list(self.folder),
        };
        let slow =
            |_| object_store::Error::from(Fault::Broken("the server lists no key for minutes".to_owned()));
        while let Some(meta) = tokio::time::timeout(SLOWEST, objects.try_next())
            .await
            .map_err(slow)??
        {
            let key = meta.location.as_ref();
            if self.last.is_some_and(|last| key > last) {
                break;
            }
            if self
                .folder
                .is_some_and(|folder| folder.as_ref() != key && below(folder.as_ref(), key).is_none())
            {
                return Err(Fault::OtherFolder.into());
            }
            // Some servers list from the first key, whatever was asked for.
            if before > 0 && behind.as_deref().is_some_and(|behind| key <= behind) {
                continue;
            }
            let mut found = found.lock();
            found.bytes += key.len();
            found.is_sorted &= found.last.as_deref().is_none_or(|last| last < key);
            found.last = Some(key.to_owned());
            found.kept.push(keep(meta));
            let count = found.kept.len();
            if found.is_sorted && count == before + PROGRESS {
                task.has_moved();
            }
            if count > MOST || found.bytes > MOST_BYTES {
                return Err(Fault::EndlessList.into());
            }
            if count == self.most {
                break;
            }
        }
        Ok(())
    }
}

impl<T> Found<T> {
    fn behind(key: Option<&str>) -> Self {
        Self {
            kept: Vec::new(),
            bytes: 0,
            last: key.map(str::to_owned),
            is_sorted: true,
        }
    }

    /// The key that a new try begins behind, and the number of objects that are kept so far.
    fn resume(&mut self, after: Option<&str>) -> (Option<String>, usize) {
        if !self.is_sorted {
            *self = Self::behind(after);
        }
        (self.last.clone(), self.kept.len())
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;
    use object_store::{ObjectStoreExt, PutPayload};

    use super::*;
    use crate::tests::faulty_store::{Fault, FaultyStore};

    fn listed(store: Arc<dyn RemoteStore>, listing: Listing<'_>) -> io::Result<Vec<String>> {
        let session = Session::over(store, "memory");
        let task = Task::new("list", "keys");
        session
            .wait(listing.objects(&session, &task, |meta| meta.location.to_string()))
            .unwrap()
    }

    fn filled(count: usize) -> Arc<InMemory> {
        let inner = Arc::new(InMemory::new());
        let put = |key: String| {
            let inner = Arc::clone(&inner);
            async move { inner.put(&Path::from(key), PutPayload::default()).await }
        };
        let session = Session::over(inner.clone(), "memory");
        session
            .wait(async {
                for n in 0..count {
                    put(format!("a/{n:06}")).await.unwrap();
                }
                put("b/0".to_owned()).await.unwrap();
            })
            .unwrap();
        inner
    }

    #[test]
    fn a_list_that_breaks_often_goes_on_where_it_broke() {
        let folder = Path::from("a");
        let store = FaultyStore::new(filled(30_000), Fault::BreaksLists(1500));
        let found = listed(store.clone(), Listing::of(Some(&folder))).unwrap();
        assert_eq!(found.len(), 30_000);
        assert!(found.is_sorted());
        // Keys that come one at a time are no progress.
        let store = FaultyStore::new(filled(100), Fault::BreaksLists(1));
        let error = listed(store, Listing::of(Some(&folder))).unwrap_err();
        assert!(error.to_string().contains("tried 10 times"), "{error}");
    }

    #[test]
    fn lists_have_bounds() {
        let (store, folder) = (filled(50), Path::from("a"));
        let listing = Listing {
            after: Some("a/000009"),
            last: Some("a/000020"),
            ..Listing::of(Some(&folder))
        };
        let found = listed(store.clone(), listing).unwrap();
        assert_eq!((found.len(), found[0].as_str()), (11, "a/000010"));
        let found = listed(store, Listing { most: 3, ..listing }).unwrap();
        assert_eq!(found.len(), 3);
    }
}
