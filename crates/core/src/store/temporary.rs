//! Temporary files for data that does not fit into memory.

use std::fs::File;
use std::path::Path;

use super::temporary_folder;

/// A file without a name that has room for `size` bytes: in `folder`, or else in [`temporary_folder`]. `None`
/// if it cannot be created, or would take more than half of the free space.
pub fn temporary_file(folder: Option<&Path>, size: u64) -> Option<File> {
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => temporary_folder(),
    };
    if size > room_for_temporary_files(&folder)? {
        return None;
    }
    tempfile::tempfile_in(folder).ok()
}

/// Bytes that temporary files in `folder` may take: half of the free space, as the output may be on the same disk. `None` if
/// the system does not tell.
pub fn room_for_temporary_files(folder: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(folder).ok()?;
    Some(space.f_bavail.checked_mul(space.f_frsize)? / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_larger_than_the_disk_is_not_begun() {
        let folder = tempfile::tempdir().unwrap();
        assert!(temporary_file(Some(folder.path()), 1 << 62).is_none());
        assert!(temporary_file(Some(&folder.path().join("none")), 1).is_none());
        assert!(temporary_file(Some(folder.path()), 1).is_some());
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "it has no name"
        );
    }
}
