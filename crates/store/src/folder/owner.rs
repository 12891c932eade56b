//! The owner of a stage, and stages whose owner is gone.
//!
//! ```text
//! create ─► stage/.ncutils-partial-values/owner    locked while the process lives, and names the kernel that it runs on
//! create ─► other stages of the target, once a folder ─► owner of this kernel, not locked ─► removed
//! ```
//!
//! A lock tells nothing of a process on another computer, so a stage without an owner of this kernel is left alone. So is one of
//! several processes: it has no owner.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tracing::debug;

use crate::file::unfinished::partial::{is_partial_name, remove};
use crate::keys::key::RESERVED;

/// Folder inside a stage for what is no key: the owner, and values that are not complete. No key can be below it.
pub(crate) const UNFINISHED: &str = ".ncutils-partial-values";

/// Name of the owner's file in [`UNFINISHED`].
const OWNER: &str = "owner";

/// Most bytes that the name of a kernel has.
const MOST_BYTES: u64 = 64;

/// The owner's lock of a stage. It is free when the process has ended.
#[derive(Debug)]
pub(super) struct Owner {
    _locked: File,
}

impl Owner {
    /// Makes this process the owner of a stage. `None` where the kernel has no name or the file system no locks: nobody removes
    /// the stage then.
    pub(super) fn of(stage: &Path) -> Option<Self> {
        let kernel = kernel()?;
        let folder = stage.join(UNFINISHED);
        match fs::create_dir(&folder) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return None,
            _ => {}
        }
        let mut file = File::create_new(folder.join(OWNER)).ok()?;
        file.try_lock().ok()?;
        // The name comes last: without it, nobody looks at the lock.
        file.write_all(&kernel).ok()?;
        Some(Self { _locked: file })
    }
}

/// The lock of a stage whose owner is gone; `None` if it has one, or that is not known.
fn of_nobody(stage: &Path) -> Option<File> {
    if !fs::symlink_metadata(stage).ok()?.is_dir() {
        return None;
    }
    let folder = stage.join(UNFINISHED);
    if !fs::symlink_metadata(&folder).ok()?.is_dir() {
        return None;
    }
    let path = folder.join(OWNER);
    if !fs::symlink_metadata(&path).ok()?.is_file() {
        return None;
    }
    let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
    let mut name = Vec::new();
    (&file).take(MOST_BYTES).read_to_end(&mut name).ok()?;
    if name != kernel()? {
        return None;
    }
    file.try_lock().ok()?;
    Some(file)
}

/// Removes the stages of `name` in `folder` that no process owns any more. This process lists a folder once: what is left behind
/// later is for the next process.
pub(super) fn remove_left_behind(folder: &Path, name: &OsStr) {
    static LISTED: Mutex<Option<HashMap<PathBuf, Vec<OsString>>>> = Mutex::new(None);
    let stages: Vec<OsString> = {
        let mut listed = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
        let folders = listed.get_or_insert_default();
        let partial = folders
            .entry(folder.to_owned())
            .or_insert_with(|| partial_in(folder));
        partial
            .extract_if(.., |found| is_partial_name(found, name))
            .collect()
    };
    for stage in stages.into_iter().map(|stage| folder.join(stage)) {
        if let Some(_lock) = of_nobody(&stage) {
            debug!(path = ?stage, "left behind by a process that is gone");
            empty(&stage);
            remove(&stage);
        }
    }
}

/// Removes what is in a stage, but for its owner: a removal that is stopped is gone on with.
pub(super) fn empty(stage: &Path) {
    let Ok(entries) = fs::read_dir(stage) else {
        return;
    };
    for entry in entries.flatten().filter(|entry| entry.file_name() != UNFINISHED) {
        let path = entry.path();
        let _ = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
    }
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

/// The name of the kernel that runs, which is another after each start of the computer.
#[cfg(target_os = "linux")]
fn kernel() -> Option<Vec<u8>> {
    let mut name = Vec::new();
    let file = File::open("/proc/sys/kernel/random/boot_id").ok()?;
    file.take(MOST_BYTES).read_to_end(&mut name).ok()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(not(target_os = "linux"))]
fn kernel() -> Option<Vec<u8>> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A stage of `x.zarr` in `folder`, with an owner of this kernel or another.
    fn stage(folder: &Path, name: &str, kernel: &[u8]) -> PathBuf {
        let stage = folder.join(format!(".x.zarr.ncutils-partial-{name}"));
        fs::create_dir_all(stage.join(UNFINISHED)).unwrap();
        fs::write(stage.join(UNFINISHED).join(OWNER), kernel).unwrap();
        fs::write(stage.join("key"), "value").unwrap();
        stage
    }

    #[test]
    fn only_stages_without_a_living_owner_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let own = kernel().unwrap();
        let left = [stage(dir.path(), "1-0", &own), stage(dir.path(), "2-1-", &own)];
        let elsewhere = stage(dir.path(), "3-0", b"another kernel");
        let unnamed = stage(dir.path(), "4-0", b"");
        let lives = dir.path().join(".x.zarr.ncutils-partial-5-0");
        fs::create_dir(&lives).unwrap();
        let owner = Owner::of(&lives).unwrap();
        let shared = dir.path().join(".x.zarr.ncutils-partial-6-0");
        fs::create_dir(&shared).unwrap();
        fs::create_dir(shared.join(UNFINISHED)).unwrap();
        let linked = dir.path().join(".x.zarr.ncutils-partial-7-0");
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(stage(outside.path(), "8-0", &own), &linked).unwrap();
        remove_left_behind(dir.path(), OsStr::new("y.zarr"));
        assert!(left[0].exists());
        remove_left_behind(dir.path(), OsStr::new("x.zarr"));
        assert!(left.iter().all(|stage| !stage.exists()));
        for kept in [&elsewhere, &unnamed, &lives, &shared, &linked] {
            assert!(kept.exists(), "{}", kept.display());
        }
        assert!(of_nobody(&lives).is_none());
        drop(owner);
        assert!(of_nobody(&lives).is_some());
    }
}
