//! The lock by which HDF5 keeps other programs from a file that it writes.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::symlinks::follow_symlinks;

/// The files whose lock this process holds: their paths, and device and inode.
static HELD: Mutex<Vec<(PathBuf, (u64, u64))>> = Mutex::new(Vec::new());

/// False if the variable `HDF5_USE_FILE_LOCKING` says that locks are not used.
fn are_used() -> bool {
    !env::var_os("HDF5_USE_FILE_LOCKING").is_some_and(|value| value == "FALSE" || value == "0")
}

fn identity(file: &File) -> io::Result<(u64, u64)> {
    let found = file.metadata()?;
    Ok((found.dev(), found.ino()))
}

/// The lock of a file for writing, which this process holds until the value is dropped.
#[derive(Debug)]
pub struct HeldLock {
    file: File,
    identity: (u64, u64),
}

impl HeldLock {
    /// Takes the lock of a file for writing. Where locks are not used, or the file system has none, it holds nothing.
    ///
    /// # Errors
    /// Another program reads or writes the file under a lock; the file cannot be opened.
    pub fn take(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let identity = identity(&file)?;
        if are_used()
            && let Err(TryLockError::WouldBlock) = file.try_lock()
        {
            return Err(in_use());
        }
        // Another program may have put a new file in its place before the lock was there.
        let now = fs::metadata(path)?;
        if (now.dev(), now.ino()) != identity {
            return Err(in_use());
        }
        let held = (follow_symlinks(path)?, identity);
        HELD.lock().unwrap_or_else(PoisonError::into_inner).push(held);
        Ok(Self { file, identity })
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = held.iter().position(|(_, identity)| *identity == self.identity) {
            held.swap_remove(at);
        }
        let _ = self.file.unlock();
    }
}

fn in_use() -> io::Error {
    io::Error::new(
        io::ErrorKind::ResourceBusy,
        "the file is being read or written by another program, which has locked it: wait until it is closed",
    )
}

fn is_held(file: &File) -> bool {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    !held.is_empty() && identity(file).is_ok_and(|found| held.iter().any(|(_, own)| *own == found))
}

/// True if another program holds the lock of a file for writing. `None` if that is not known: the file system has no locks, or the
/// variable `HDF5_USE_FILE_LOCKING` says that they are not used.
///
/// The shared lock that tells it is released at once.
pub(crate) fn is_locked_for_writing(file: &File) -> Option<bool> {
    if !are_used() {
        return None;
    }
    if is_held(file) {
        return Some(false);
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
/// is not asked. A file that this process has locked must still be the one at its path.
///
/// # Errors
/// The file is locked; it was replaced or removed since it was locked.
pub fn check_unlocked(path: &Path) -> io::Result<()> {
    let locked = {
        let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter()
            .find(|(own, _)| own == path)
            .map(|(_, identity)| *identity)
    };
    if let Some(locked) = locked {
        let now = fs::metadata(path).map(|found| (found.dev(), found.ino()));
        return match now.is_ok_and(|now| now == locked) {
            true => Ok(()),
            false => Err(io::Error::other(
                "another program has replaced or removed the file since it was opened",
            )),
        };
    }
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
    fn a_lock_of_this_process_is_no_other_programs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let other = File::create(&path).unwrap();
        let held = HeldLock::take(&path).unwrap();
        check_unlocked(&path).unwrap();
        assert!(matches!(other.try_lock_shared(), Err(TryLockError::WouldBlock)));
        let moved = dir.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        assert!(check_unlocked(&path).is_err());
        fs::write(&path, "new").unwrap();
        assert!(check_unlocked(&path).is_err());
        fs::rename(&moved, &path).unwrap();
        drop(held);
        other.try_lock_shared().unwrap();
        assert_eq!(
            HeldLock::take(&path).unwrap_err().kind(),
            io::ErrorKind::ResourceBusy
        );
    }

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
