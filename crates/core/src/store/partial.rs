//! Partial files and folders that have a name, and how a program removes them when it is told to end.
//!
//! What is partial is named here as long as it exists under its partial name. This library installs no signal handler: a
//! program that is told to end calls [`remove_partial_files`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The name of a partial file or folder. Dropping it removes what has this name.
#[derive(Debug)]
pub(super) struct PartialName {
    path: PathBuf,
}

impl PartialName {
    /// Runs `make`, which creates the file or folder at `path`, and remembers it if that succeeds.
    pub(super) fn create<T>(
        path: PathBuf,
        make: impl FnOnce(&Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        let mut named = named();
        let made = make(&path)?;
        named.push(path.clone());
        Ok((Self { path }, made))
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file to `target`, after which it is partial no more.
    pub(super) fn rename(&self, target: &Path) -> io::Result<()> {
        self.complete(|path| fs::rename(path, target))
    }

    /// Runs `complete`, after which what was partial is so no more, unless it fails.
    pub(super) fn complete<T>(&self, complete: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
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

/// Holds back whoever would make or complete a partial file; see [`remove_partial_files`].
pub struct NoPartialFiles {
    _named: MutexGuard<'static, Vec<PathBuf>>,
}

/// Removes all partial files and folders of this process. While the result lives, none is made or takes its final name:
/// threads that try wait. For programs that are told to end, which keep it until they have ended.
#[must_use = "as soon as it is dropped, partial files may be made again"]
pub fn remove_partial_files() -> NoPartialFiles {
    let mut named = named();
    for path in named.drain(..) {
        remove(&path);
    }
    NoPartialFiles { _named: named }
}

/// Nobody is there to be told of a failure; the name itself says that the file is partial.
fn remove(path: &Path) {
    if fs::remove_file(path).is_err() {
        let _ = fs::remove_dir_all(path);
    }
}

fn named() -> MutexGuard<'static, Vec<PathBuf>> {
    NAMED.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn what_could_not_be_made_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("other");
        fs::write(&path, "someone else's").unwrap();
        assert!(PartialName::create(path.clone(), |p| fs::File::create_new(p)).is_err());
        assert!(path.exists());
    }
}
