//! Partial files that processes left behind which are gone.
//!
//! ```text
//! create ─► .NAME.ncutils-partial-XXXX-KERNEL    shared lock while the process lives; the name tells the kernel that it runs on
//! create ─► others of the same NAME, once a folder ─► of this kernel, not locked ─► removed
//! ```
//!
//! A lock may tell nothing of a process on another computer, so a file of another kernel is left alone. So is one without a kernel
//! in its name: the file system has no locks. The lock is a shared one, which keeps no program from reading the complete file.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::OFlags;
use tracing::debug;

use super::{PartialName, is_partial_name, marked_beside, partial_beside};
use crate::keys::key::RESERVED;

/// Most bytes that the name of a kernel has.
pub(crate) const MOST_BYTES: u64 = 64;

/// Bytes of the kernel's name in the name of a file.
const MARK: usize = 8;

/// Creates the partial file of `name` in `folder`. Those that others left behind are removed.
///
/// # Errors
/// The folder cannot be written to.
pub(crate) fn partial_file(folder: &Path, name: &OsStr) -> io::Result<(PartialName, File)> {
    let create = |path: &Path| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
    };
    remove_left_behind(folder, name);
    if let Some(mark) = mark() {
        let (partial, file) = marked_beside(folder, name, &mark, create)?;
        // Before the lock was there, another process may have taken the file for one that nobody writes.
        if file.try_lock_shared().is_ok() && file.metadata().is_ok_and(|found| found.nlink() > 0) {
            return Ok((partial, file));
        }
    }
    partial_beside(folder, name, create)
}

/// Links a complete file, which has no name yet, to a partial name of `name` in `folder`.
///
/// # Errors
/// Those of `link`.
pub(crate) fn link_partial(
    file: &File,
    folder: &Path,
    name: &OsStr,
    link: impl Fn(&File, &Path) -> io::Result<()>,
) -> io::Result<PartialName> {
    remove_left_behind(folder, name);
    let mark = mark().filter(|_| file.try_lock_shared().is_ok());
    let linked = marked_beside(folder, name, &mark.unwrap_or_default(), |path| link(file, path));
    Ok(linked?.0)
}

/// Gives up the lock of a file that has its own name by now.
pub(crate) fn release(file: &File) {
    let _ = file.unlock();
}

/// Removes the partial files of `name` in `folder` that no process writes any more.
fn remove_left_behind(folder: &Path, name: &OsStr) {
    let Some(mark) = mark() else { return };
    for path in partial_of(folder, name) {
        if !path.as_os_str().as_bytes().ends_with(mark.as_bytes()) {
            continue;
        }
        if let Some(_lock) = of_nobody(&path) {
            debug!(?path, "left behind by a process that is gone");
            let _ = fs::remove_file(&path);
        }
    }
}

/// The lock of a regular file that no process has locked.
fn of_nobody(path: &Path) -> Option<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags.bits() as i32)
        .open(path)
        .ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    file.try_lock().ok()?;
    Some(file)
}

/// The partial files and folders of `name` in `folder`. This process lists a folder once: what is left behind later is for the next
/// process.
pub(crate) fn partial_of(folder: &Path, name: &OsStr) -> Vec<PathBuf> {
    static LISTED: Mutex<Option<HashMap<PathBuf, Vec<OsString>>>> = Mutex::new(None);
    let mut listed = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
    let folders = listed.get_or_insert_default();
    let partial = folders
        .entry(folder.to_owned())
        .or_insert_with(|| partial_in(folder));
    let found = partial.extract_if(.., |found| is_partial_name(found, name));
    found.map(|found| folder.join(found)).collect()
}

/// Names in a folder that a partial file or folder may have.
fn partial_in(folder: &Path) -> Vec<OsString> {
    let is_partial = |name: &OsString| {
        let bytes = name.as_bytes();
        bytes.starts_with(b".")
            && bytes
                .windows(RESERVED.len())
                .any(|part| part == RESERVED.as_bytes())
    };
    let entries = fs::read_dir(folder).into_iter().flatten();
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter(is_partial).collect()
}

/// The end of a partial name that tells the kernel; `None` if it has no name.
fn mark() -> Option<String> {
    let kernel = kernel()?;
    let begin = kernel.get(..MARK)?;
    let is_plain = begin.iter().all(u8::is_ascii_hexdigit);
    is_plain.then(|| format!("-{}", String::from_utf8_lossy(begin)))
}

/// The name of the kernel that runs, which is another after each start of the computer.
#[cfg(target_os = "linux")]
pub(crate) fn kernel() -> Option<Vec<u8>> {
    let mut name = Vec::new();
    let file = File::open("/proc/sys/kernel/random/boot_id").ok()?;
    file.take(MOST_BYTES).read_to_end(&mut name).ok()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn kernel() -> Option<Vec<u8>> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn only_files_that_nobody_writes_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let mark = mark().unwrap();
        let (name, elsewhere) = (OsStr::new("x.nc"), "-00000000");
        let stays = |end: &str| format!(".x.nc.ncutils-partial-{end}");
        for end in ["1-0", "2-0", "3-0"] {
            fs::write(dir.path().join(stays(&format!("{end}{mark}"))), "dead").unwrap();
        }
        let mut kept = vec![stays("4-0"), stays(&format!("5-0{elsewhere}"))];
        for name in &kept {
            fs::write(dir.path().join(name), "left alone").unwrap();
        }
        let lives = stays(&format!("6-0{mark}"));
        let writes = File::create_new(dir.path().join(&lives)).unwrap();
        writes.try_lock_shared().unwrap();
        let linked = stays(&format!("7-0{mark}"));
        std::os::unix::fs::symlink("nothing", dir.path().join(&linked)).unwrap();
        kept.extend([lives, linked]);
        remove_left_behind(dir.path(), OsStr::new("y.nc"));
        assert_eq!(names(dir.path()).len(), 7);
        remove_left_behind(dir.path(), name);
        kept.sort();
        assert_eq!(names(dir.path()), kept);
    }

    #[test]
    fn a_file_is_held_until_it_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let (partial, file) = partial_file(dir.path(), OsStr::new("x.nc")).unwrap();
        assert!(partial.path().to_str().unwrap().ends_with(&mark().unwrap()));
        assert!(of_nobody(partial.path()).is_none());
        let target = dir.path().join("x.nc");
        partial.rename(&target).unwrap();
        release(&file);
        assert!(of_nobody(&target).is_some());
    }
}
