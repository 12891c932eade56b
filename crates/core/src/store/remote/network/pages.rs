//! [`Pages`]: finds lists without an end: a page that repeats, too many pages, too many short pages.
//!
//! `object_store` asks for the page behind each page, as long as the server names one.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::fault::Fault;

/// Most pages of a list: twenty million keys, which are held in memory.
const MOST_PAGES: usize = 20_000;

/// How often a page may come. Many threads list one folder at a time, each from its first page on.
const MOST_REPEATS: u32 = 256;

/// Most pages with fewer than [`FEW`] keys, one after another. Servers send short pages where many keys were deleted.
const MOST_SHORT: usize = 1000;

/// Bytes in which the first tag of a page stands.
const BEGINNING: usize = 4096;

/// A page with fewer keys or folders is short.
const FEW: usize = 10;

/// The pages that came since a list was last begun.
#[derive(Debug, Default)]
pub(super) struct Pages {
    hasher: RandomState,
    /// How often each page came.
    seen: HashMap<u64, u32>,
    /// Short pages since the last long one.
    short: usize,
}

impl Pages {
    /// True for the path and query of a page of a list.
    pub(super) fn is_list(path_and_query: &str) -> bool {
        has(path_and_query, &["list-type=", "comp=list"])
    }

    /// True for a document that lists keys: of S3 and Google, or of Azure.
    pub(super) fn are_keys(body: &[u8]) -> bool {
        let begin = &body[..body.len().min(BEGINNING)];
        ["ListBucketResult", "EnumerationResults"]
            .iter()
            .any(|root| begin.windows(root.len()).any(|found| found == root.as_bytes()))
    }

    /// Notes that the page at a path with a query came.
    ///
    /// # Errors
    /// If the page came too often: the server leads in a circle. If there are too many.
    pub(super) fn came(&mut self, path_and_query: &str, body: &[u8]) -> Result<(), Fault> {
        if !has(path_and_query, &["continuation-token=", "marker="]) {
            self.seen.clear();
            self.short = 0;
            return Ok(());
        }
        let is_name = |tag: &&[u8]| {
            ["Key>", "Name>", "Prefix>"]
                .iter()
                .any(|name| tag.starts_with(name.as_bytes()))
        };
        let names = body.split(|byte| *byte == b'<').filter(is_name).take(FEW);
        match names.count() < FEW {
            true => self.short += 1,
            false => self.short = 0,
        }
        let page = self.hasher.hash_one(path_and_query);
        let times = self.seen.entry(page).or_default();
        *times += 1;
        match *times <= MOST_REPEATS && self.seen.len() <= MOST_PAGES && self.short <= MOST_SHORT {
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
            assert!(pages.came("/b?list-type=2&prefix=x", b"").is_ok());
            assert!(
                pages
                    .came("/b?continuation-token=1&list-type=2&prefix=x", b"")
                    .is_ok()
            );
            assert!(
                pages
                    .came("/b?continuation-token=2&list-type=2&prefix=x", b"")
                    .is_ok()
            );
        }
        let azure = "/c?restype=container&comp=list&marker=1";
        for page in ["/b?continuation-token=1&list-type=2&prefix=x", azure] {
            let mut pages = Pages::default();
            let mut turns = (0..).map(|_| pages.came(page, b""));
            // Many lists of one folder may be under way.
            assert!(turns.by_ref().take(64).all(|came| came.is_ok()));
            assert_eq!(turns.find_map(Result::err), Some(Fault::EndlessList));
        }
        assert!(Pages::is_list(azure) && !Pages::is_list("/b/key?marker=1"));
    }

    #[test]
    fn short_pages_have_an_end_and_long_ones_may_go_on() {
        let page = |n: usize| format!("/b?continuation-token={n}&list-type=2");
        let long = "<Contents><Key>k</Key></Contents>".repeat(1000);
        for (body, ends) in [("<Key>k</Key>", true), (long.as_str(), false)] {
            let mut pages = Pages::default();
            let came: Result<(), Fault> = (0..3000).try_for_each(|n| pages.came(&page(n), body.as_bytes()));
            assert_eq!(came.is_err(), ends);
        }
    }
}
