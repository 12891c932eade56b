//! Sizes and times of datasets on local file systems.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// Deepest folder that is looked into.
const DEEPEST: u32 = 64;

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

/// When a file was changed, or the last change of a folder and what is below it; `None` if that cannot be known.
pub fn newest(path: &Path) -> Option<SystemTime> {
    newest_below(path, DEEPEST)
}

fn newest_below(path: &Path, deepest: u32) -> Option<SystemTime> {
    let found = fs::metadata(path).ok()?;
    let mut newest = found.modified().ok()?;
    if !found.is_dir() {
        return Some(newest);
    }
    for entry in fs::read_dir(path).ok()? {
        let entry = entry.ok()?;
        newest = newest.max(match entry.file_type().ok()?.is_symlink() {
            // A link to a folder may lead back.
            true => entry.metadata().ok()?.modified().ok()?,
            false => newest_below(&entry.path(), deepest.checked_sub(1)?)?,
        });
    }
    Some(newest)
}
