//! The check that an existing folder may be replaced by references in Parquet files: it is empty, or holds nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::format::zarr::keys::CONSOLIDATED;

/// Checks that nothing is lost but references if a folder is removed. No link is followed.
///
/// # Errors
/// Names the entry that is no part of such references.
pub(super) fn check_replaceable(root: &Path) -> io::Result<()> {
    let refused = |why: String| {
        let told = format!("{why}, and is not replaced; name another output, or remove the folder");
        Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, told))
    };
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    let mut is_empty = true;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (kind, name) = (entry.file_type()?, entry.file_name());
            is_empty = false;
            let is_rows = |name: &str| name.starts_with("refs.") && name.ends_with(".parq");
            let is_own = |name: &str| is_rows(name) || name == CONSOLIDATED && folder == root;
            match name.to_str() {
                _ if kind.is_dir() => folders.push(entry.path()),
                Some(name) if kind.is_file() && is_own(name) => {}
                _ => {
                    return refused(format!(
                        "the folder holds {}, which is no part of references",
                        entry.path().display()
                    ));
                }
            }
        }
    }
    match is_empty || root.join(CONSOLIDATED).is_file() {
        true => Ok(()),
        false => refused(format!(
            "the folder holds no references (it has no {CONSOLIDATED})"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_references_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(check_replaceable(root).is_ok());
        fs::create_dir_all(root.join("group/v")).unwrap();
        fs::write(root.join("group/v/refs.0.parq"), b"").unwrap();
        assert!(check_replaceable(root).is_err());
        fs::write(root.join(CONSOLIDATED), b"").unwrap();
        assert!(check_replaceable(root).is_ok());
        fs::write(root.join("group/mine.txt"), b"").unwrap();
        let told = check_replaceable(root).unwrap_err().to_string();
        assert!(told.contains("mine.txt"), "{told}");
    }
}
