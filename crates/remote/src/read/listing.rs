//! [`Listing`]: a list of objects, page by page.
//!
//! ```text
//! first page ─► token ─► next page ─► token ─► … ─► no token: the list is complete
//!                  └─ came before, too many pages, too many short ones: a list without an end
//! ```
//!
//! Each page is a request of its own, which is tried again alone.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use object_store::list::PaginatedListOptions;
use object_store::path::Path;
use object_store::{ListResult, ObjectMeta};

use crate::requests::{RemoteStore, Session, Task};
use crate::wire::Failure;
use ncutils_remote_settings::url::below;

/// Upper limit, in bytes, of all keys of a list, which are held in memory.
const MOST_BYTES: usize = 1 << 30;

/// Bytes of memory that a key takes besides its text.
const BESIDE_KEY: usize = 48;

/// Most pages of a list: twenty million keys.
const MOST_PAGES: usize = 20_000;

/// Most pages with fewer than [`FEW`] keys, one after another. Servers send short pages where many keys were deleted.
const MOST_SHORT: usize = 1000;

/// A page with fewer keys or folders is short.
const FEW: usize = 10;

/// Longest time without a name. A server may send slow pages without any.
const SLOWEST: Duration = Duration::from_secs(180);

/// A list of the objects in a folder, in the order of their keys.
pub(crate) struct Listing<'a> {
    session: &'a Session,
    task: &'a Task,
    /// The folder with a slash at its end; `None` for the whole bucket.
    prefix: Option<String>,
    /// What is asked for: all objects, unless these options are changed before the first page.
    pub(crate) options: PaginatedListOptions,
    /// The tokens that have come.
    tokens: HashSet<String>,
    /// Short pages since the last long one.
    short: usize,
    /// When a page without a name came, if none with one has come since.
    empty_since: Option<Instant>,
    /// Bytes of the keys that have come.
    bytes: usize,
    /// True after the last page.
    is_over: bool,
}

impl<'a> Listing<'a> {
    /// All objects of a folder; of the whole bucket for `None`.
    pub(crate) fn of(session: &'a Session, task: &'a Task, folder: Option<&Path>) -> Self {
        Self {
            session,
            task,
            prefix: folder.map(|folder| format!("{folder}/")),
            options: PaginatedListOptions::default(),
            tokens: HashSet::new(),
            short: 0,
            empty_since: None,
            bytes: 0,
            is_over: false,
        }
    }

    /// The next page; `None` behind the last one.
    ///
    /// # Errors
    /// Those of the session; keys of other folders, which some servers list; a list without an end.
    pub(crate) async fn page(&mut self) -> io::Result<Option<ListResult>> {
        if self.is_over {
            return Ok(None);
        }
        let (prefix, options) = (self.prefix.as_deref(), &self.options);
        let ask = async |store: Arc<dyn RemoteStore>| store.page(prefix, options.clone()).await;
        let found = self.session.tried(self.task, ask).await?;
        self.options.page_token = found.page_token;
        self.came(&found.result).map_err(|why| why.of_task(self.task))?;
        Ok(Some(found.result))
    }

    /// Checks a page, and whether the list goes on.
    fn came(&mut self, page: &ListResult) -> Result<(), Failure> {
        let folder = self.prefix.as_deref().unwrap_or_default().trim_end_matches('/');
        for meta in &page.objects {
            let key = meta.location.as_ref();
            if key != folder && below(folder, key).is_none() {
                // They would be read, or deleted, with the tree.
                return Err(Failure::last(
                    "the server lists keys of other folders than the one that was asked for; is the endpoint right?",
                ));
            }
            self.bytes += key.len() + BESIDE_KEY;
        }
        let names = page.objects.len() + page.common_prefixes.len();
        self.short = if names < FEW { self.short + 1 } else { 0 };
        self.empty_since = (names == 0).then(|| self.empty_since.unwrap_or_else(Instant::now));
        let token = self.options.page_token.as_deref();
        self.is_over = token.is_none();
        let is_new = token.is_none_or(|token| self.tokens.insert(token.to_owned()));
        let is_short = self.tokens.len() <= MOST_PAGES
            && self.short <= MOST_SHORT
            && self.empty_since.is_none_or(|since| since.elapsed() <= SLOWEST);
        if self.bytes > MOST_BYTES {
            return Err(Failure::last(
                "the server's list has more keys than fit 1 GiB of memory",
            ));
        }
        match is_new && is_short {
            true => Ok(()),
            false => Err(Failure::last(
                "the server's list of keys has no end: it repeats a page, or has too many pages",
            )),
        }
    }

    /// What `keep` makes of each object up to the key `last`, of all pages that are left.
    ///
    /// # Errors
    /// Those of [`page`](Self::page).
    pub(crate) async fn objects<T>(
        mut self,
        last: Option<&str>,
        keep: impl Fn(ObjectMeta) -> T,
    ) -> io::Result<Vec<T>> {
        let mut kept = Vec::new();
        while let Some(page) = self.page().await? {
            for meta in page.objects {
                if last.is_some_and(|last| meta.location.as_ref() > last) {
                    return Ok(kept);
                }
                kept.push(keep(meta));
            }
        }
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;
    use object_store::{ObjectStoreExt, PutPayload};

    use super::*;
    use crate::tests::faulty_store::{Fault, FaultyStore};

    fn listed(store: Arc<dyn RemoteStore>, range: Option<(&str, &str)>) -> io::Result<Vec<String>> {
        let session = Session::over(store, "memory");
        let (task, folder) = (Task::new("list", "keys"), Path::from("a"));
        let mut listing = Listing::of(&session, &task, Some(&folder));
        listing.options.offset = range.map(|(after, _)| after.to_owned());
        let last = range.map(|(_, last)| last);
        session
            .wait(listing.objects(last, |meta| meta.location.to_string()))
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
        let store = FaultyStore::new(filled(30_000), Fault::BreaksLists(2));
        let found = listed(store.clone(), None).unwrap();
        assert_eq!(found.len(), 30_000);
        assert!(found.is_sorted());
        let store = FaultyStore::new(filled(100), Fault::BreaksLists(1));
        let error = listed(store, None).unwrap_err();
        assert!(error.to_string().contains("tried 10 times"), "{error}");
    }

    #[test]
    fn lists_have_bounds() {
        let found = listed(filled(50), Some(("a/000009", "a/000020"))).unwrap();
        assert_eq!((found.len(), found[0].as_str()), (11, "a/000010"));
    }

    fn page(names: usize) -> ListResult {
        ListResult {
            common_prefixes: vec![Path::from("x"); names],
            objects: Vec::new(),
            extensions: Default::default(),
        }
    }

    /// Checks pages with these tokens, of so many names each.
    fn checked(tokens: impl Iterator<Item = usize>, names: usize) -> Result<(), Failure> {
        let session = Session::over(Arc::new(InMemory::new()), "memory");
        let task = Task::new("list", "keys");
        let mut listing = Listing::of(&session, &task, None);
        for token in tokens {
            listing.options.page_token = Some(token.to_string());
            listing.came(&page(names))?;
        }
        Ok(())
    }

    #[test]
    fn a_list_in_a_circle_ends() {
        assert!(checked(0..20, 0).is_ok());
        let again = checked([1, 2, 1].into_iter(), 1000).unwrap_err();
        assert!(again.text.contains("no end"), "{again}");
    }

    #[test]
    fn keys_have_a_limit_of_memory() {
        let session = Session::over(Arc::new(InMemory::new()), "memory");
        let task = Task::new("list", "keys");
        let mut listing = Listing::of(&session, &task, None);
        listing.bytes = MOST_BYTES - BESIDE_KEY;
        let meta = ObjectMeta {
            location: Path::from("a"),
            last_modified: Default::default(),
            size: 0,
            e_tag: None,
            version: None,
        };
        let one = ListResult {
            objects: vec![meta],
            ..page(0)
        };
        assert!(listing.came(&one).unwrap_err().text.contains("1 GiB"));
    }

    #[test]
    fn short_pages_have_an_end_and_long_ones_may_go_on() {
        for (names, ends) in [(1, true), (1000, false)] {
            assert_eq!(checked(0..3000, names).is_err(), ends);
        }
    }
}
