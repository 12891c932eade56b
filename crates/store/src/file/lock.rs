//! The lock by which HDF5 keeps other programs from a file that it writes.

use std::env;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// True if a program holds the lock of a file for writing. `None` if that is not known: the file system has no locks, or the
/// variable `HDF5_USE_FILE_LOCKING` says that they are not used.
///
/// The shared lock that tells it is released at once.
pub(crate) fn is_locked_for_writing(file: &File) -> Option<bool> {
    if env::var_os("HDF5_USE_FILE_LOCKING").is_some_and(|value| value == "FALSE" || value == "0") {
        return None;
    }
    match file.try_lock_shared() {
        Ok(()) => {
            // Closing the file would release it, too.
            let _ = file.unlock();
            Some(false)
        }
        Err(TryLockError::WouldBlock) => Some(true),
        Err(TryLockError::Error(_)) => None,
    }
}

/// Refuses to replace a file whose lock for writing a program holds: what it writes would be lost. A file that may not be read
/// is not asked.
///
/// # Errors
/// The file is locked.
pub fn check_unlocked(path: &Path) -> io::Result<()> {
    match File::open(path).is_ok_and(|file| is_locked_for_writing(&file) == Some(true)) {
        true => Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "the file of this name is being written by another program: wait until it is closed, or name another file",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_for_writing_is_told_and_none_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let writer = File::create(&path).unwrap();
        let reader = File::open(&path).unwrap();
        assert_eq!(is_locked_for_writing(&reader), Some(false));
        writer.try_lock().expect("the lock that was tried is released");
        assert_eq!(is_locked_for_writing(&reader), Some(true));
        writer.unlock().unwrap();
        writer.lock_shared().unwrap();
        assert_eq!(is_locked_for_writing(&reader), Some(false));
    }
}
