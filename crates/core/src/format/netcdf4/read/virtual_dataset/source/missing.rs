//! [`MissingSources`]: which sources of a variable were not there, for its warning.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Sources of a virtual variable, and of its virtual sources, that were looked for and not found.
#[derive(Default)]
pub struct MissingSources(Mutex<State>);

#[derive(Default)]
struct State {
    /// Number of sources, found or not.
    all: usize,
    missing: HashSet<(String, String)>,
    /// The first by number, whichever thread met it first.
    first: Option<(usize, String, String)>,
}

impl MissingSources {
    /// Counts the sources of a virtual dataset.
    pub fn add_sources(&self, count: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).all += count;
    }

    /// Notes that source `number` of its dataset, `dataset` in `file`, is missing.
    pub fn note(&self, number: usize, file: &str, dataset: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, dataset) = (file.to_owned(), dataset.to_owned());
        let named = (number, file.clone(), dataset.clone());
        if state.first.as_ref().is_none_or(|first| named < *first) {
            state.first = Some(named);
        }
        state.missing.insert((file, dataset));
    }

    /// The warning; `None` if nothing was missing.
    pub fn warning(&self, variable: &str) -> Option<String> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, file, dataset) = state.first.as_ref()?;
        let (missing, all) = (state.missing.len(), state.all.max(state.missing.len()));
        let (sources, are) = (
            if all == 1 { "source" } else { "sources" },
            if missing == 1 { "is" } else { "are" },
        );
        Some(format!(
            "variable {variable}: {missing} of {all} {sources} {are} missing, the first {} in {}; their elements read as the fill value",
            dataset.escape_debug(),
            file.escape_debug()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_counted_once() {
        let missing = MissingSources::default();
        assert_eq!(missing.warning("v"), None);
        missing.add_sources(3);
        for (number, file) in [(2, "b.h5"), (1, "a.h5"), (2, "b.h5")] {
            missing.note(number, file, "/d");
        }
        assert_eq!(
            missing.warning("v").unwrap(),
            "variable v: 2 of 3 sources are missing, the first /d in a.h5; their elements read as the fill value"
        );
    }

    #[test]
    fn one_is_singular() {
        for (all, begin) in [
            (1, "v: 1 of 1 source is missing"),
            (4, "v: 1 of 4 sources is missing"),
        ] {
            let missing = MissingSources::default();
            missing.add_sources(all);
            missing.note(0, "a.h5", "/d");
            let warning = missing.warning("v").unwrap();
            assert!(warning.contains(begin), "{warning}");
        }
    }
}
