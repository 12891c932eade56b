//! Temporary files for data that does not fit into memory.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::temporary_folder;

/// A file without a name in `folder`, or in [`temporary_folder`], for `size` bytes.
///
/// # Errors
/// One that names the folder and `TMPDIR`: the file cannot be created, or would take more than half of the free space.
pub fn temporary_file(folder: Option<&Path>, size: u64) -> io::Result<File> {
    let folder = folder.map_or_else(temporary_folder, Path::to_owned);
    let named = |e: io::Error| {
        let why = format!(
            "cannot create a temporary file in {}, the folder of TMPDIR: {e}",
            folder.display()
        );
        io::Error::new(e.kind(), why)
    };
    let file = tempfile::tempfile_in(&folder).map_err(named)?;
    match room_for_temporary_files(&folder) {
        Some(room) if size <= room => Ok(file),
        _ => Err(no_room(&folder, size)),
    }
}

/// The error of a temporary file that would take more than half of the free space.
pub fn no_room(folder: &Path, size: u64) -> io::Error {
    let why = format!(
        "a temporary file of {size} bytes would take more than half of the free space in {}; let TMPDIR name another folder",
        folder.display()
    );
    io::Error::new(io::ErrorKind::StorageFull, why)
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
        assert!(temporary_file(Some(folder.path()), 1 << 62).is_err());
        assert!(temporary_file(Some(&folder.path().join("none")), 1).is_err());
        assert!(temporary_file(Some(folder.path()), 1).is_ok());
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "it has no name"
        );
    }
}
