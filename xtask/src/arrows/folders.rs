//! Folders with more files than a reader takes in at a glance.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::cycles::folder;

/// The most source files of a folder, besides the file that declares its modules. Files for tests do not count.
const MOST_FILES: usize = 15;

/// How the reason for more begins, in the documentation of the folder's `mod.rs`.
const REASON: &str = "//! More than 15 files:";

/// Folders with too many of `files` and no reason, each with their number.
pub fn too_large(root: &Path, files: &BTreeSet<&str>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| !is_face(file)) {
        *counts.entry(folder(file)).or_default() += 1;
    }
    counts
        .into_iter()
        .filter(|(folder, count)| *count > MOST_FILES && !has_reason(root, folder))
        .map(|(folder, count)| (folder.to_owned(), count))
        .collect()
}

/// True for a file that declares the modules beside it.
fn is_face(file: &str) -> bool {
    ["/mod.rs", "/lib.rs", "/main.rs"]
        .iter()
        .any(|name| file.ends_with(name))
}

fn has_reason(root: &Path, folder: &str) -> bool {
    ["/mod.rs", "/lib.rs", "/main.rs", ".rs"].iter().any(|face| {
        fs::read_to_string(root.join(format!("{folder}{face}")))
            .is_ok_and(|text| text.lines().any(|line| line.starts_with(REASON)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_files_need_a_reason() {
        let root = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..16).map(|n| format!("a/{n}.rs")).collect();
        let mut files: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        files.insert("a/mod.rs");
        assert_eq!(too_large(root.path(), &files), [("a".to_owned(), 16)]);
        fs::create_dir(root.path().join("a")).unwrap();
        fs::write(root.path().join("a/mod.rs"), "//! More than 15 files: a list.\n").unwrap();
        assert!(too_large(root.path(), &files).is_empty());
        fs::write(root.path().join("a/mod.rs"), "//! A list.\n").unwrap();
        files.remove("a/3.rs");
        assert!(too_large(root.path(), &files).is_empty());
    }
}
