//! Reading files that are cut, and indexes as far as they go.

use std::sync::{Arc, Mutex, PoisonError};

use super::bytes::MetadataReader;
use crate::error::{Error, Result};

/// Most faults of one index that are noted.
const MOST_FAULTS: usize = 10_000;

impl MetadataReader {
    /// The same reader, of a file that may end before the superblock says.
    pub(crate) fn of_cut_file(mut self) -> Self {
        self.cut = true;
        self
    }

    /// True if the file may end before the superblock says.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// A reader of the same file that goes on after what is wrong with an index, and adds it to `faults`.
    pub(crate) fn tolerating(&self, faults: Arc<Mutex<Vec<Error>>>) -> Self {
        let mut reader = self.clone();
        reader.faults = Some(faults);
        reader
    }

    /// True if an index is read as far as it goes.
    pub(crate) fn tolerates(&self) -> bool {
        self.faults.is_some()
    }

    /// Notes what is wrong with an index, if it is read as far as it goes.
    ///
    /// # Errors
    /// `error`, if not.
    pub(crate) fn tolerate(&self, error: Error) -> Result<()> {
        match &self.faults {
            None => Err(error),
            Some(faults) => {
                let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
                if faults.len() < MOST_FAULTS {
                    faults.push(error);
                }
                Ok(())
            }
        }
    }
}
