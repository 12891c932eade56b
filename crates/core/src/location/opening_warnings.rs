//! [`OpeningWarnings`]: warnings that are found while a location is opened.

use std::sync::{Arc, Mutex, PoisonError};

/// Warnings for the user, which gather while a location is opened. Copies of a location share them, and they make no
/// difference between locations.
#[derive(Debug, Clone, Default)]
pub(super) struct OpeningWarnings(Arc<Mutex<Vec<String>>>);

impl OpeningWarnings {
    pub(super) fn add(&self, lines: impl IntoIterator<Item = String>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(lines);
    }

    /// The warnings so far, which are forgotten.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl PartialEq for OpeningWarnings {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for OpeningWarnings {}
