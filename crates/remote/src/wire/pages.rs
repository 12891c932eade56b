//! [`Pages`]: finds lists without an end: a page that repeats, too many pages, too many short pages.
//!
//! `object_store` asks for the page behind each page, as long as the server names one.

use std::cell::RefCell;
use std::collections::HashSet;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};

use super::fault::Fault;

/// Most pages of a list: twenty million keys, which are held in memory.
const MOST_PAGES: usize = 20_000;

/// Most pages with fewer than [`FEW`] keys, one after another. Servers send short pages where many keys were deleted.
const MOST_SHORT: usize = 1000;

/// A page with fewer keys or folders is short.
const FEW: usize = 10;

tokio::task_local! {
    /// The pages of the list that the current task makes.
    static OF_THIS_LIST: RefCell<Pages>;
}

/// The pages of one list.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    hasher: RandomState,
    seen: HashSet<u64>,
    /// Short pages since the last long one.
    short: usize,
}

impl Pages {
    /// Runs a future that makes one list, whose pages are watched. Other lists may be under way, of the same folder too.
    pub(crate) async fn of<F: Future>(list: F) -> F::Output {
        OF_THIS_LIST.scope(RefCell::default(), list).await
    }

    /// Notes a page of the list that the current task makes, with its number of keys and folders. Outside of [`Pages::of`] nothing
    /// is noted.
    ///
    /// # Errors
    /// [`Fault::EndlessList`]
    pub(crate) fn note(path_and_query: &str, names: usize) -> Result<(), Fault> {
        let noted = OF_THIS_LIST.try_with(|pages| pages.borrow_mut().came(path_and_query, names));
        noted.unwrap_or(Ok(()))
    }

    /// True for the path and query of a page of a list.
    pub(crate) fn is_list(path_and_query: &str) -> bool {
        has(path_and_query, &["list-type=", "comp=list"])
    }

    /// Notes that the page at a path with a query came.
    ///
    /// # Errors
    /// If the page came before: the server leads in a circle. If there are too many.
    fn came(&mut self, path_and_query: &str, names: usize) -> Result<(), Fault> {
        if !has(path_and_query, &["continuation-token=", "marker="]) {
            self.seen.clear();
            self.short = 0;
            return Ok(());
        }
        self.short = if names < FEW { self.short + 1 } else { 0 };
        let is_new = self.seen.insert(self.hasher.hash_one(path_and_query));
        match is_new && self.seen.len() <= MOST_PAGES && self.short <= MOST_SHORT {
            true => Ok(()),
            false => Err(Fault::EndlessList),
        }
    }
}

fn has(path_and_query: &str, wanted: &[&str]) -> bool {
    let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
    query
        .split('&')
        .any(|pair| wanted.iter().any(|name| pair.starts_with(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_in_a_circle_ends() {
        let mut pages = Pages::default();
        for _ in 0..2 {
            assert!(pages.came("/b?list-type=2&prefix=x", 0).is_ok());
            assert!(
                pages
                    .came("/b?continuation-token=1&list-type=2&prefix=x", 0)
                    .is_ok()
            );
            assert!(
                pages
                    .came("/b?continuation-token=2&list-type=2&prefix=x", 0)
                    .is_ok()
            );
        }
        let again = pages.came("/b?continuation-token=1&list-type=2&prefix=x", 0);
        assert_eq!(again, Err(Fault::EndlessList));
        let azure = "/c?restype=container&comp=list&marker=1";
        assert!(pages.came(azure, 0).is_ok());
        assert!(pages.came(azure, 0).is_err());
        assert!(Pages::is_list(azure) && !Pages::is_list("/b/key?marker=1"));
    }

    #[test]
    fn short_pages_have_an_end_and_long_ones_may_go_on() {
        let page = |n: usize| format!("/b?continuation-token={n}&list-type=2");
        for (names, ends) in [(1, true), (1000, false)] {
            let mut pages = Pages::default();
            let came: Result<(), Fault> = (0..3000).try_for_each(|n| pages.came(&page(n), names));
            assert_eq!(came.is_err(), ends);
        }
    }
}
