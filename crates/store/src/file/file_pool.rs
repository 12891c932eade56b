//! [`FilePool`]: many local files as objects, of which only a few are open at a time.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::file_source::open_without_waiting;
use super::file_version::FileVersion;
use super::lock;
use crate::{Lease, LeasePool, Object, ObjectState};
use ncutils_model::error::{Error, Result};

/// Keeps at most a number of files open. The file that was not used for longest makes room for another.
#[derive(Debug)]
pub struct FilePool {
    /// Open files, by their numbers: a path takes longer to hash.
    files: LeasePool<usize, File>,
    /// Every file that was opened.
    seen: Mutex<HashMap<Arc<Path>, Seen>>,
}

/// Device and inode of a file.
type Identity = (u64, u64);

/// A file that was named.
#[derive(Debug)]
struct Seen {
    number: usize,
    /// What it was when it was opened first; `None` if it could not be opened.
    opened: Option<(Identity, FileVersion)>,
}

impl FilePool {
    /// A pool of at most `most` open files, at least one.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            files: LeasePool::new(most),
            seen: Mutex::default(),
        })
    }

    /// A regular file as an object. It is open only while it is read, and as long as the pool has room.
    ///
    /// # Errors
    /// The file cannot be opened, or is not a regular file. The error names it.
    pub fn open(self: &Arc<Self>, path: &Path) -> Result<PooledFile> {
        let shared: Arc<Path> = path.into();
        let found = || {
            // A pipe would make opening wait for a writer.
            if !fs::metadata(path)?.is_file() {
                return Err(io::Error::other("not a regular file"));
            }
            let number = self.number(&shared);
            Ok((number, self.lease(number, path, None)?.metadata()?))
        };
        let (number, metadata) = found().map_err(|e| Error::io("cannot open", e).in_file(path))?;
        let identity = (metadata.dev(), metadata.ino());
        let version = FileVersion::of(&metadata);
        if let Some(seen) = self.seen().get_mut(&shared) {
            // Of a file that is opened twice, the first version counts.
            seen.opened.get_or_insert((identity, version));
        }
        Ok(PooledFile {
            pool: Arc::clone(self),
            number,
            path: shared,
            size: version.size,
            modified: version.modified,
            identity,
        })
    }

    /// Compares all files that were opened with what they were then. A file that was removed, or whose name another file took,
    /// is not looked for.
    ///
    /// # Errors
    /// Names a file that was changed.
    pub fn check_unchanged(&self) -> Result<()> {
        for (path, seen) in &*self.seen() {
            let Some((identity, version)) = &seen.opened else {
                continue;
            };
            let Ok(found) = fs::metadata(path) else {
                continue;
            };
            if (found.dev(), found.ino()) == *identity {
                let unchanged = version.check(&found);
                unchanged.map_err(|e| Error::io("cannot read", e).in_file(&**path))?;
            }
        }
        Ok(())
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<Arc<Path>, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The open file, which is not closed as long as it is held. Nobody holds two.
    fn lease(
        &self,
        number: usize,
        path: &Path,
        identity: Option<Identity>,
    ) -> io::Result<Lease<usize, File>> {
        self.files.get(&number, || open_regular(path, identity))
    }

    /// The number of a file.
    fn number(&self, path: &Arc<Path>) -> usize {
        let mut seen = self.seen();
        let number = seen.len();
        let new = || Seen { number, opened: None };
        seen.entry(Arc::clone(path)).or_insert_with(new).number
    }
}

/// Opens a regular file. `identity` is that of the file that is expected.
fn open_regular(path: &Path, identity: Option<Identity>) -> io::Result<File> {
    let file = open_without_waiting(path)?;
    let metadata = file.metadata()?;
    let changed = identity.is_some_and(|identity| identity != (metadata.dev(), metadata.ino()));
    if changed || !metadata.is_file() {
        return Err(io::Error::other("another file took its place"));
    }
    Ok(file)
}

/// A local file of a [`FilePool`]. Its size is that at the first opening.
#[derive(Debug)]
pub struct PooledFile {
    pool: Arc<FilePool>,
    number: usize,
    path: Arc<Path>,
    size: u64,
    /// When it was changed last, at the first opening.
    modified: Option<SystemTime>,
    identity: Identity,
}

impl Object for PooledFile {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.size))
    }

    fn state(&self) -> io::Result<ObjectState> {
        Ok(ObjectState {
            etag: None,
            modified: self.modified,
        })
    }

    fn is_locked_for_writing(&self) -> Option<bool> {
        let file = self
            .pool
            .lease(self.number, &self.path, Some(self.identity))
            .ok()?;
        lock::is_locked_for_writing(&file)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        if offset
            .checked_add(buf.len() as u64)
            .is_none_or(|end| end > self.size)
        {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let file = self.pool.lease(self.number, &self.path, Some(self.identity))?;
        file.read_exact_at(buf, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_open_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let pool = FilePool::new(2);
        let files: Vec<PooledFile> = (0..9u8)
            .map(|n| {
                let path = folder.path().join(n.to_string());
                fs::write(&path, [n; 4]).unwrap();
                pool.open(&path).unwrap()
            })
            .collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..50 {
                        for (n, file) in files.iter().enumerate() {
                            let mut byte = [99];
                            file.read_exact_at(round % 4, &mut byte).unwrap();
                            assert_eq!(usize::from(byte[0]), n);
                            assert!(pool.files.count() <= 2);
                        }
                    }
                });
            }
        });
        let past = files[0].read_exact_at(3, &mut [0; 2]).unwrap_err();
        assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_file_that_was_replaced_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a", "b", "c"] {
            fs::write(path(name), name).unwrap();
        }
        let pool = FilePool::new(1);
        let file = pool.open(&path("a")).unwrap();
        let _other = pool.open(&path("b")).unwrap();
        fs::rename(path("c"), path("a")).unwrap();
        let error = file.read_exact_at(0, &mut [0]).unwrap_err();
        assert!(error.to_string().contains("took its place"), "{error}");
        assert!(pool.open(folder.path()).is_err());
        assert!(pool.open(&path("none")).is_err());
    }
}
