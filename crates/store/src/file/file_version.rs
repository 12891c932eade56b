//! [`FileVersion`]: what tells whether a local file was changed.

use std::fs::Metadata;
use std::io;
use std::time::SystemTime;

/// The size of a file, and the time of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion {
    pub(crate) size: u64,
    /// `None` if the file system does not tell.
    pub(crate) modified: Option<SystemTime>,
}

impl FileVersion {
    /// The version that a file has now.
    pub(crate) fn of(file: &Metadata) -> Self {
        Self {
            size: file.len(),
            modified: file.modified().ok(),
        }
    }

    /// Compares the version with that which the same file has now.
    ///
    /// # Errors
    /// The file was changed.
    pub(crate) fn check(self, file: &Metadata) -> io::Result<()> {
        match Self::of(file) == self {
            true => Ok(()),
            false => Err(io::Error::other(
                "the file was changed while it was read: try again when no program writes it",
            )),
        }
    }
}
