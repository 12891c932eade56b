//! Writing a folder as a store of keys: each key is the path of a file below the folder.
//!
//! ```text
//! create ─► .NAME.ncutils-partial-XXXX/     the stage, beside the target
//! create_shared, join_shared ─► a stage of several processes, where their job has it
//! put ─┬─ nobody else knows the stage, and KEY is new ─► stage/KEY
//!      └─ else ─► stage/.ncutils-partial-values/N ─ rename ─► stage/KEY
//! publish ─► sync ─┬─ no NAME yet ──► rename stage to NAME
//!                  └─ a dataset ────► exchange the two names, remove the old dataset
//! ```

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::debug;

use super::owner::{self, Owner, UNFINISHED};
use super::replace::{rename_to_new, replace};
use crate::file::file_output::{sync_directory, sync_directory_of_output};
use crate::file::stop_point::{self, reach};
use crate::file::symlinks::follow_symlinks;
use crate::file::unfinished::partial::{PartialName, directory_of, partial_beside};
use crate::keys::key::check_key;
use crate::{DirectoryKeys, GetRange, KeyOutput, KeyStore, ValueWriter};
use ncutils_model::error::{Error, Result};

/// Checks whether an existing folder may be replaced. An error says why it may not.
pub type FolderCheck = Arc<dyn Fn(&Path) -> io::Result<()> + Send + Sync>;

/// A folder of keys that is being written, by one process or several.
pub struct DirectoryOutput {
    target: PathBuf,
    stage: PathBuf,
    staged: Arc<DirectoryKeys>,
    /// Folders in the stage that are known to be there.
    folders: Mutex<HashSet<PathBuf>>,
    /// Called when the stage is created, and again before the old folder is replaced.
    check: FolderCheck,
    /// Removes the stage when it is dropped. `None` if another process removes it, or nobody.
    own: Mutex<Option<PartialName>>,
    /// Tells other processes that the stage is in use. `None` if they may join it.
    owner: Mutex<Option<Owner>>,
    /// True if other processes may look into the stage. Values are written in place where it is false.
    is_shared: bool,
}

impl fmt::Debug for DirectoryOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectoryOutput")
            .field("target", &self.target)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}

impl DirectoryOutput {
    /// Creates a stage for the folder `path`. A symbolic link is followed and its target replaced. An
    /// existing folder is replaced only if it is empty or has one of the keys `known_by`, which mark a
    /// dataset. Other folders may hold anything and are not removed. Dropping the stage without publishing
    /// removes it.
    ///
    /// # Errors
    /// Names the path if its parent does not exist or cannot be written to, or if the existing folder may not
    /// be replaced.
    pub fn create(path: &Path, known_by: &[&str]) -> Result<Self> {
        Self::create_over(path, marked_by(known_by)).map_err(|e| Error::io("cannot create", e).in_file(path))
    }

    /// Same as [`create`](Self::create), but `check` decides whether an existing folder may be replaced, and errors do
    /// not name the path.
    ///
    /// # Errors
    /// Those of [`create`](Self::create) and of `check`.
    pub fn create_over(path: &Path, check: FolderCheck) -> io::Result<Self> {
        let target = target_of(path)?;
        replaceable(&target, &check)?;
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        owner::remove_left_behind(directory_of(&target), name);
        let (own, ()) = partial_beside(directory_of(&target), name, |p| fs::create_dir(p))?;
        let stage = own.path().canonicalize()?;
        if let Ok(old) = fs::metadata(&target) {
            fs::set_permissions(&stage, old.permissions())?;
        }
        let owner = Mutex::new(Owner::of(&stage));
        Ok(Self {
            own: Mutex::new(Some(own)),
            owner,
            is_shared: false,
            ..Self::at(target, stage, check)?
        })
    }

    /// Creates the folder `stage`, in which several processes write what becomes the folder `path`. Nobody removes it but its
    /// publication.
    ///
    /// # Errors
    /// The existing folder may not be replaced, as `check` says; `stage` exists.
    pub fn create_shared(path: &Path, stage: &Path, check: &FolderCheck) -> io::Result<()> {
        let target = target_of(path)?;
        replaceable(&target, check)?;
        fs::create_dir(stage)?;
        match fs::metadata(&target) {
            Ok(old) => fs::set_permissions(stage, old.permissions()),
            Err(_) => Ok(()),
        }
    }

    /// Joins what [`create_shared`](Self::create_shared) created.
    ///
    /// # Errors
    /// The stage does not exist.
    pub fn join_shared(path: &Path, stage: &Path, check: FolderCheck) -> io::Result<Self> {
        Self::at(target_of(path)?, stage.canonicalize()?, check)
    }

    /// Writes into the folder `path` itself, which exists. Each value appears as a whole. Nothing is left to publish.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub fn in_place(path: &Path) -> io::Result<Self> {
        Self::at(path.to_owned(), path.to_owned(), Arc::new(|_| Ok(())))
    }

    fn at(target: PathBuf, stage: PathBuf, check: FolderCheck) -> io::Result<Self> {
        Ok(Self {
            staged: Arc::new(DirectoryKeys::of(&stage)?),
            target,
            stage,
            folders: Mutex::default(),
            check,
            own: Mutex::new(None),
            owner: Mutex::new(None),
            is_shared: true,
        })
    }

    fn own(&self) -> std::sync::MutexGuard<'_, Option<PartialName>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn owner(&self) -> std::sync::MutexGuard<'_, Option<Owner>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the folder of a key, unless it is known to be there. Returns the path of the key's file.
    pub(crate) fn path_of(&self, key: &str) -> io::Result<PathBuf> {
        let path = self.stage.join(key);
        let folder = path.parent().unwrap_or(&self.stage);
        let folders = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if !folders().contains(folder) {
            make_folder(&self.stage, folder)?;
            folders().insert(folder.to_owned());
        }
        Ok(path)
    }

    /// Replaces the value of a key. It is durable when this returns.
    pub(crate) fn replace_durably(&self, key: &str, value: &[u8]) -> io::Result<()> {
        reach(stop_point::WRITE);
        let path = self.path_of(key)?;
        let mut file = self.begin_value(key)?;
        file.file.write_all(value)?;
        file.file.sync_all()?;
        file.complete()?;
        sync_directory(directory_of(&path))
    }

    /// Starts a file that becomes the value of `key` when it is complete.
    fn begin_value(&self, key: &str) -> io::Result<Value> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        check_key(key)?;
        let folder = self.stage.join(UNFINISHED);
        let name = || {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            format!("{:x}-{count:x}", std::process::id())
        };
        for _ in 0..1000 {
            let path = folder.join(name());
            match File::create_new(&path) {
                Ok(file) => {
                    return Ok(Value {
                        file,
                        unfinished: Some(path),
                        stage: self.stage.clone(),
                        key: key.to_owned(),
                    });
                }
                Err(e) if e.kind() == io::ErrorKind::NotFound => match fs::create_dir(&folder) {
                    Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
                    _ => {}
                },
                // Left by a process with the same id.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl KeyOutput for DirectoryOutput {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        check_key(key)?;
        reach(stop_point::WRITE);
        let path = self.path_of(key)?;
        // A value need not appear as a whole where nobody else looks into the stage.
        if !self.is_shared
            && let Some(mut file) = create_new(&path)?
        {
            return file.write_all(value).inspect_err(|_| {
                let _ = fs::remove_file(&path);
            });
        }
        let mut file = self.begin_value(key)?;
        file.file.write_all(value)?;
        file.complete()
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        // No key of a stage is visible before it is published, so the order does not matter.
        self.put(key, value)
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        Ok(Box::new(self.begin_value(key)?))
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.staged.get(key, GetRange::Whole)
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.staged.list(prefix)
    }

    fn read_staged(&self) -> io::Result<Option<Arc<dyn KeyStore>>> {
        Ok(Some(self.staged.clone()))
    }

    fn wait(&self) -> io::Result<()> {
        sync(&self.stage)
    }

    fn publish(&self) -> io::Result<()> {
        sync(&self.stage)?;
        reach(stop_point::COMMIT);
        let replaces = replaceable(&self.target, &self.check)?;
        // Other processes may still be writing there, and what lies there tells them whose stage it is.
        if !self.is_shared {
            remove_unfinished(&self.stage)?;
        }
        sync_directory(&self.stage)?;
        let publish = |stage: &Path| {
            if replaces {
                replace(stage, &self.target).map(Some)
            } else {
                rename_to_new(stage, &self.target).map(|()| None)
            }
        };
        let mut own = self.own();
        let old = match own.as_ref() {
            Some(own) => own.hold(publish),
            None => publish(&self.stage),
        }?;
        debug!(path = ?self.target, replaced = old.is_some(), "published");
        let synced = sync_directory_of_output(directory_of(&self.target));
        if self.is_shared {
            remove_unfinished(&self.target)?;
        }
        let removed = old.map_or(Ok(()), |old| remove_old(&old));
        self.owner().take();
        // Until here the stage's name, which the old dataset has now, is listed: a program that is told to end removes it.
        if let Some(own) = own.take() {
            own.complete(|_| Ok(()))?;
        }
        synced.and(removed)
    }
}

/// A file that becomes the value of a key.
struct Value {
    file: File,
    /// Path of the unfinished file; taken when it becomes the value.
    unfinished: Option<PathBuf>,
    stage: PathBuf,
    key: String,
}

impl Value {
    fn complete(mut self) -> io::Result<()> {
        let path = self.stage.join(&self.key);
        let folder = path.parent().unwrap_or(&self.stage);
        make_folder(&self.stage, folder)?;
        if let Some(unfinished) = self.unfinished.take() {
            fs::rename(&unfinished, &path).inspect_err(|_| {
                let _ = fs::remove_file(&unfinished);
            })?;
        }
        Ok(())
    }
}

impl ValueWriter for Value {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        // A hole at the end would be left out otherwise.
        self.file.set_len(size)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.complete()
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        if let Some(path) = self.unfinished.take() {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes the folder of values that are not complete.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder.join(UNFINISHED)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Creates a file; `None` if the name is taken.
fn create_new(path: &Path) -> io::Result<Option<File>> {
    match File::create_new(path) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(e) => Err(e),
    }
}

/// Creates a folder below `stage` and its parents. No symbolic link is followed out of the stage.
fn make_folder(stage: &Path, folder: &Path) -> io::Result<()> {
    let mut missing = Vec::new();
    for at in folder.ancestors() {
        match at.canonicalize() {
            Ok(found) if found.starts_with(stage) => break,
            Ok(_) => {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "a link leads out of the folder",
                ));
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => missing.push(at),
            Err(e) => return Err(e),
        }
    }
    for folder in missing.into_iter().rev() {
        match fs::create_dir(folder) {
            // Another thread or process was faster.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    Ok(())
}

/// The path of the dataset: `path` without a slash at its end, with symbolic links followed.
pub(crate) fn target_of(path: &Path) -> io::Result<PathBuf> {
    let target = follow_symlinks(&path.components().collect::<PathBuf>())?;
    match target.file_name() {
        Some(_) => Ok(target),
        None => Err(io::ErrorKind::InvalidFilename.into()),
    }
}

/// Accepts folders that are empty or have one of these keys.
fn marked_by(known_by: &[&str]) -> FolderCheck {
    let known_by: Vec<String> = known_by.iter().map(|key| (*key).to_owned()).collect();
    Arc::new(move |folder| {
        let is_dataset = known_by.iter().any(|key| folder.join(key).is_file());
        if !is_dataset && fs::read_dir(folder)?.next().is_some() {
            return Err(io::Error::new(
                io::ErrorKind::DirectoryNotEmpty,
                "the folder holds something else than a dataset, and is not replaced",
            ));
        }
        Ok(())
    })
}

/// True if a folder exists at `target`.
///
/// # Errors
/// If the existing file or folder may not be replaced.
fn replaceable(target: &Path, check: &FolderCheck) -> io::Result<bool> {
    match fs::metadata(target) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
        Ok(found) if !found.is_dir() => Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            "a file has this name, and is not replaced by a folder",
        )),
        Ok(_) => check(target).map(|()| true),
    }
}

/// Removes the folder that was replaced. What cannot be removed stays under a name that marks it as partial.
fn remove_old(old: &Path) -> io::Result<()> {
    // If the process is killed here, the next one goes on.
    let _owner = Owner::of(old);
    owner::empty(old);
    fs::remove_dir_all(old).map_err(|e| {
        let what = "the new dataset is complete, but the old one could not be removed, and is left in";
        io::Error::new(e.kind(), format!("{what} {}: {e}", old.display()))
    })
}

/// Makes all files of a stage durable, including those of other processes.
#[cfg(target_os = "linux")]
pub(crate) fn sync(stage: &Path) -> io::Result<()> {
    // One call for the file system is much faster than one for each of many files.
    Ok(rustix::fs::syncfs(File::open(stage)?)?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn sync(_stage: &Path) -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

#[cfg(test)]
mod tests;
