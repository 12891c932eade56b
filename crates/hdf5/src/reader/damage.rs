//! Reading files that are truncated, and structures as far as they go.

use std::sync::{Arc, Mutex, PoisonError};

use super::file::File;
use crate::error::{Error, Result};
use crate::metadata::MetadataReader;
use crate::metadata::StructureBlock;

/// What is wrong with the structures that a file has read, which [`File::tolerating`] made.
#[derive(Debug, Clone, Default)]
pub struct Tolerated(Arc<Mutex<Vec<Error>>>);

impl Tolerated {
    /// The errors since the last call, in the order in which they were met.
    pub fn take(&self) -> Vec<Error> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl File {
    /// The same file, which reads structures as far as they go: an object header without the continuation blocks that cannot
    /// be read, a group without such links, attributes without dense storage, an index without such nodes. What is wrong is
    /// told in the second value.
    pub fn tolerating(&self) -> (Self, Tolerated) {
        let faults = Tolerated::default();
        let reader = self.reader().tolerating(Arc::clone(&faults.0));
        (self.read_by(reader), faults)
    }

    /// The structures that were read so far, in the order of their addresses. Only a file that was opened as
    /// [truncated](crate::OpenOptions::truncated) notes them; at most a million.
    pub fn structures(&self) -> Vec<StructureBlock> {
        let noted = self.reader().noted.as_ref();
        noted.map(|noted| noted.all()).unwrap_or_default()
    }
}

/// Most faults of one structure that are noted.
const MOST_FAULTS: usize = 10_000;

impl MetadataReader {
    /// The same reader, of a file that may end before the superblock says.
    pub(crate) fn of_truncated_file(mut self) -> Self {
        self.truncated = true;
        self
    }

    /// True if the file may end before the superblock says.
    pub(crate) fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// A reader of the same file that goes on after what is wrong with a structure, and adds it to `faults`.
    pub(crate) fn tolerating(&self, faults: Arc<Mutex<Vec<Error>>>) -> Self {
        let mut reader = self.clone();
        reader.faults = Some(faults);
        reader
    }

    /// True if structures are read as far as they go.
    pub(crate) fn tolerates(&self) -> bool {
        self.faults.is_some()
    }

    /// Notes what is wrong with a structure, if it is read as far as it goes.
    ///
    /// # Errors
    /// `error`, if not, or if the source failed, which is no damage.
    pub(crate) fn tolerate(&self, error: Error) -> Result<()> {
        match &self.faults {
            None => Err(error),
            Some(_) if error.is_failure() => Err(error),
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
