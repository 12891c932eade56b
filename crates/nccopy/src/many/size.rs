//! Sizes of datasets on local file systems.

use std::fs;
use std::path::Path;

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
