//! Names of partial files and folders, so that a program can remove them when it is told to end.
//!
//! A partial file or folder is listed here as long as it has its partial name. This library installs no
//! signal handler: a program that is told to end calls [`remove_partial_files`](crate::remove_partial_files).

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::file::unfinished::remains::remains;
use crate::io::run_name::new_run;
use crate::keys::key::RESERVED;

/// Longest file name, in bytes, in common file systems.
pub(crate) const MAX_NAME: usize = 255;

static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The name of a partial file or folder. Dropping it removes the file or folder.
#[derive(Debug)]
pub(crate) struct PartialName {
    path: PathBuf,
}

impl PartialName {
    /// Runs `make`, which creates the file or folder at `path`, and lists it if that succeeds.
    pub(crate) fn create<T>(
        path: PathBuf,
        make: impl FnOnce(&Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        let mut named = named();
        let made = make(&path)?;
        named.push(path.clone());
        Ok((Self { path }, made))
    }

    /// Path of the partial file or folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file to `target`. After that it is no longer partial.
    pub(crate) fn rename(&self, target: &Path) -> io::Result<()> {
        self.complete(|path| fs::rename(path, target))
    }

    /// Runs `work` while no partial file or folder is removed. The name stays listed.
    pub(crate) fn hold<T>(&self, work: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
        let _named = named();
        work(&self.path)
    }

    /// Runs `complete`. If it succeeds, the file or folder is no longer partial.
    pub(crate) fn complete<T>(&self, complete: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
        let mut named = named();
        let done = complete(&self.path)?;
        named.retain(|p| *p != self.path);
        Ok(done)
    }
}

impl Drop for PartialName {
    fn drop(&mut self) {
        let mut named = named();
        if let Some(at) = named.iter().position(|p| *p == self.path) {
            named.swap_remove(at);
            remove(&self.path);
        }
    }
}

/// Waits as long as another thread keeps the result of [`remove_partial_files`](crate::remove_partial_files): the process is being ended, and outputs on
/// remote stores are given up by that thread.
pub fn wait_while_ending() {
    drop(named());
}

/// Number of attempts to remove a folder.
const ATTEMPTS: usize = 3;

/// The name of a partial folder while it is removed.
pub(crate) fn away(path: &Path) -> PathBuf {
    let mut away = path.as_os_str().to_owned();
    away.push("-");
    away.into()
}

/// A failure is ignored: the name itself marks the file as partial.
pub(crate) fn remove(path: &Path) {
    if fs::remove_file(path).is_ok() {
        return;
    }
    // Under another name, so that threads which still write make no new files in it.
    let away = away(path);
    let renamed = fs::rename(path, &away).is_ok();
    let folder = if renamed { &*away } else { path };
    for _ in 0..ATTEMPTS {
        match fs::remove_dir_all(folder) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {}
            _ => return,
        }
        // To list a folder takes a descriptor, of which there may be none left.
        if fs::remove_dir(folder).is_ok() {
            return;
        }
    }
    remains(format!("{} could not be removed", folder.display()));
}

/// The list of partial names, locked.
pub(crate) fn named() -> MutexGuard<'static, Vec<PathBuf>> {
    NAMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The directory that holds the file `path`.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Makes a partial file with `make`, under a free name in `directory` that contains the final `name`.
pub(crate) fn partial_beside<T>(
    directory: &Path,
    name: &OsStr,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PartialName, T)> {
    for _ in 0..1000 {
        match PartialName::create(directory.join(partial_name(name)), &make) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made,
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "no name is free for the partial file",
    ))
}

/// A hidden name that contains the final `name`. No two calls return the same, in any process on any machine.
pub(crate) fn partial_name(name: &OsStr) -> OsString {
    partial_name_of(name, &new_run())
}

/// The hidden name of what a run makes of the final `name`.
pub(crate) fn partial_name_of(name: &OsStr, run: &str) -> OsString {
    let suffix = format!("{RESERVED}{run}");
    let kept = name
        .as_bytes()
        .len()
        .min((MAX_NAME - 1).saturating_sub(suffix.len()));
    let mut file_name = b".".to_vec();
    file_name.extend_from_slice(&name.as_bytes()[..kept]);
    file_name.extend_from_slice(suffix.as_bytes());
    OsString::from_vec(file_name)
}

/// True if [`partial_name`] can have made `partial` of the final name `name`, in any process.
pub(crate) fn is_partial_name(partial: &OsStr, name: &OsStr) -> bool {
    let (partial, name) = (partial.as_bytes(), name.as_bytes());
    let mut places = partial.windows(RESERVED.len());
    let Some(at) = places.rposition(|part| part == RESERVED.as_bytes()) else {
        return false;
    };
    let (begin, suffix) = partial.split_at(at);
    let kept = name.len().min((MAX_NAME - 1).saturating_sub(suffix.len()));
    begin.strip_prefix(b".") == Some(&name[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drop_removes_the_file_and_rename_keeps_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("partial");
        let (name, _) = PartialName::create(path.clone(), |p| fs::File::create_new(p)).unwrap();
        assert!(path.exists());
        drop(name);
        assert!(!path.exists());

        let target = dir.path().join("whole");
        let (name, _) = PartialName::create(path.clone(), |p| fs::File::create_new(p)).unwrap();
        name.rename(&target).unwrap();
        drop(name);
        assert!(target.exists() && !path.exists());
    }

    #[test]
    fn a_folder_is_removed_while_files_are_made_in_it() {
        use std::sync::Barrier;
        use std::sync::atomic::{AtomicBool, Ordering};
        for _ in 0..20 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("stage");
            let (name, ()) = PartialName::create(path.clone(), |p| fs::create_dir(p)).unwrap();
            let (ended, begun) = (AtomicBool::new(false), Barrier::new(3));
            std::thread::scope(|scope| {
                let (ended, begun, path) = (&ended, &begun, &path);
                for thread in 0..2 {
                    scope.spawn(move || {
                        let mut n = 0;
                        while !ended.load(Ordering::Relaxed) {
                            let _ = fs::write(path.join(format!("{thread}-{n}")), "x");
                            n += 1;
                            if n == 1 {
                                begun.wait();
                            }
                        }
                    });
                }
                begun.wait();
                drop(name);
                ended.store(true, Ordering::Relaxed);
            });
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn what_could_not_be_made_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("other");
        fs::write(&path, "someone else's").unwrap();
        assert!(PartialName::create(path.clone(), |p| fs::File::create_new(p)).is_err());
        assert!(path.exists());
    }
}
