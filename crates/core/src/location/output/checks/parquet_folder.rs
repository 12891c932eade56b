//! The check that an existing folder may be replaced by references in Parquet files: it is empty, or holds nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::format::zarr::keys::CONSOLIDATED;

/// Checks that nothing is lost but references if a folder is removed. No link is followed.
///
/// # Errors
/// Names the entry that is no part of such references.
pub(in crate::location) fn check_replaceable(root: &Path) -> io::Result<()> {
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    let mut is_empty = true;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (kind, name) = (entry.file_type()?, entry.file_name());
            is_empty = false;
            match name.to_str() {
                _ if kind.is_dir() => folders.push(entry.path()),
                Some(name) if kind.is_file() && is_own(name, folder == root) => {}
                _ => return Err(foreign("folder", &entry.path().display().to_string())),
            }
        }
    }
    match is_empty || root.join(CONSOLIDATED).is_file() {
        true => Ok(()),
        false => Err(none("folder")),
    }
}

/// The same of the keys below a prefix.
///
/// # Errors
/// Those of [`check_replaceable`].
pub(in crate::location) fn check_replaceable_keys(keys: &[String]) -> io::Result<()> {
    let is_of_references = |key: &&String| match key.rsplit_once('/') {
        Some((_, name)) => is_own(name, false),
        None => is_own(key, true),
    };
    match keys.iter().find(|key| !is_of_references(key)) {
        Some(key) => Err(foreign("prefix", key)),
        None if keys.is_empty() || keys.iter().any(|key| key == CONSOLIDATED) => Ok(()),
        None => Err(none("prefix")),
    }
}

/// True for the name of a file of references.
fn is_own(name: &str, is_in_root: bool) -> bool {
    let is_rows = name.starts_with("refs.") && name.ends_with(".parq");
    is_rows || is_in_root && name == CONSOLIDATED
}

fn foreign(place: &str, name: &str) -> io::Error {
    refused(
        place,
        &format!("the {place} holds {name}, which is no part of references"),
    )
}

fn none(place: &str) -> io::Error {
    refused(
        place,
        &format!("the {place} holds no references (it has no {CONSOLIDATED})"),
    )
}

fn refused(place: &str, why: &str) -> io::Error {
    let told = format!("{why}, and is not replaced; name another output, or remove the {place}");
    io::Error::new(io::ErrorKind::DirectoryNotEmpty, told)
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

    #[test]
    fn only_keys_of_references_are_replaced() {
        let check = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            check_replaceable_keys(&keys).map_err(|e| e.to_string())
        };
        assert!(check(&[]).is_ok() && check(&[".zmetadata", "g/v/refs.0.parq"]).is_ok());
        assert!(
            check(&["v/refs.0.parq"])
                .unwrap_err()
                .contains("holds no references")
        );
        for other in ["mine.txt", "v/.zmetadata", "v/refs.0.txt"] {
            assert!(check(&[".zmetadata", other]).unwrap_err().contains(other));
        }
    }
}
