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
    first: Option<(String, String)>,
}

impl MissingSources {
    /// Counts the sources of a virtual dataset.
    pub fn add_sources(&self, count: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).all += count;
    }

    /// Notes that the source `dataset` in `file` is missing.
    pub fn note(&self, file: &str, dataset: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (file.to_owned(), dataset.to_owned());
        state.first.get_or_insert_with(|| name.clone());
        state.missing.insert(name);
    }

    /// The warning; `None` if nothing was missing.
    pub fn warning(&self, variable: &str) -> Option<String> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, dataset) = state.first.as_ref()?;
        let (missing, all) = (state.missing.len(), state.all.max(state.missing.len()));
        let are = match missing {
            1 => "source is",
            _ => "sources are",
        };
        Some(format!(
            "variable {variable}: {missing} of {all} {are} missing, the first {} in {}; their elements read as the fill value",
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
        for file in ["b.h5", "a.h5", "b.h5"] {
            missing.note(file, "/d");
        }
        assert_eq!(
            missing.warning("v").unwrap(),
            "variable v: 2 of 3 sources are missing, the first /d in b.h5; their elements read as the fill value"
        );
    }
}
