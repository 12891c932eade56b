//! [`Pages`]: the pages of lists, of which there must be an end.
//!
//! `object_store` asks for the page behind each page, as long as the server names one.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::fault::Fault;

/// Most pages of a list: a thousand million keys.
const MOST_PAGES: usize = 1 << 20;

/// The pages that came since a list was last begun.
#[derive(Debug, Default)]
pub(super) struct Pages {
    hasher: RandomState,
    seen: HashSet<u64>,
}

impl Pages {
    /// Notes that the page at a path with a query came. Other requests are let pass.
    ///
    /// # Errors
    /// If the page came before: the server leads in a circle. If there are too many.
    pub(super) fn came(&mut self, path_and_query: &str) -> Result<(), Fault> {
        let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
        let has = |wanted: &[&str]| {
            query
                .split('&')
                .any(|pair| wanted.iter().any(|name| pair.starts_with(name)))
        };
        if !has(&["list-type=", "comp=list"]) {
            return Ok(());
        }
        if !has(&["continuation-token=", "marker="]) {
            self.seen.clear();
            return Ok(());
        }
        match self.seen.insert(self.hasher.hash_one(path_and_query)) && self.seen.len() <= MOST_PAGES {
            true => Ok(()),
            false => Err(Fault::EndlessList),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_in_a_circle_ends() {
        let mut pages = Pages::default();
        for _ in 0..2 {
            assert!(pages.came("/b?list-type=2&prefix=x").is_ok());
            assert!(pages.came("/b?continuation-token=1&list-type=2&prefix=x").is_ok());
            assert!(pages.came("/b?continuation-token=2&list-type=2&prefix=x").is_ok());
        }
        assert_eq!(
            pages.came("/b?continuation-token=1&list-type=2&prefix=x"),
            Err(Fault::EndlessList)
        );
        let azure = "/c?restype=container&comp=list&marker=1";
        assert!(pages.came(azure).is_ok());
        assert!(pages.came(azure).is_err());
        for _ in 0..2 {
            assert!(pages.came("/b/key?marker=1").is_ok());
        }
    }
}
