//! Sizes and times of datasets on local file systems.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ncutils_core::location::Location;

/// Deepest folder that is looked into.
const DEEPEST: u32 = 64;

/// Bytes of a local file or folder; `None` where that is not known: on a remote store, of a pipe.
pub fn known_bytes(location: &Location) -> Option<u64> {
    let path = location.path().filter(|_| !location.is_standard_input())?;
    let found = fs::metadata(path).ok()?;
    (found.is_file() || found.is_dir()).then(|| stored_bytes(path, u64::MAX))
}

/// Bytes of a file, or of all files below a folder; 0 for what cannot be looked at. Stops as soon as they are more than `most`.
pub fn stored_bytes(path: &Path, most: u64) -> u64 {
    let mut sum = 0;
    add(path, most, DEEPEST, &mut sum);
    sum
}

fn add(path: &Path, most: u64, deepest: u32, sum: &mut u64) {
    let Ok(found) = fs::metadata(path) else {
        return;
    };
    if !found.is_dir() {
        *sum = sum.saturating_add(found.len());
        return;
    }
    let Ok(entries) = fs::read_dir(path) else {
        return;
    };
    for entry in entries.flatten() {
        // A link to a folder may lead back.
        let follows = entry.file_type().is_ok_and(|kind| !kind.is_symlink());
        if *sum > most || deepest == 0 {
            return;
        }
        if follows {
            add(&entry.path(), most, deepest - 1, sum);
        }
    }
}

/// When a file was changed, or the last change of a folder and what is below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// When the content was changed. A program can set this time.
    pub content: SystemTime,
    /// When the content, the name, the rights or the other time were changed. The system alone sets this time.
    pub entry: SystemTime,
}

impl Changed {
    /// The times of a path; `None` if they cannot be known.
    pub fn of(path: &Path) -> Option<Self> {
        Self::below(path, DEEPEST)
    }

    /// The times of a path alone, without what is below it.
    pub fn of_itself(path: &Path) -> Option<Self> {
        Self::told(&fs::metadata(path).ok()?)
    }

    fn below(path: &Path, deepest: u32) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        let mut newest = Self::told(&found)?;
        if !found.is_dir() {
            return Some(newest);
        }
        for entry in fs::read_dir(path).ok()? {
            let entry = entry.ok()?;
            let own = match entry.file_type().ok()?.is_symlink() {
                // A link to a folder may lead back.
                true => Self::told(&entry.metadata().ok()?)?,
                false => Self::below(&entry.path(), deepest.checked_sub(1)?)?,
            };
            newest.content = newest.content.max(own.content);
            newest.entry = newest.entry.max(own.entry);
        }
        Some(newest)
    }

    fn told(found: &Metadata) -> Option<Self> {
        let seconds = Duration::from_secs(found.ctime().unsigned_abs());
        let whole = match found.ctime() < 0 {
            true => UNIX_EPOCH.checked_sub(seconds)?,
            false => UNIX_EPOCH.checked_add(seconds)?,
        };
        let rest = Duration::from_nanos(u64::try_from(found.ctime_nsec()).ok()?);
        Some(Self {
            content: found.modified().ok()?,
            entry: whole.checked_add(rest)?,
        })
    }
}
