//! Writing local files.
//!
//! An output is written to a partial file in the target's directory. It takes the target's name only when it
//! is complete:
//!
//! ```text
//! create ─┬─ O_TMPFILE: no name at all ──────────────── commit: sync ─► link to the target, where there is none yet,
//!         │                                                    └─ else link to .NAME.ncutils-partial-XXXX ─┐
//!         └─ elsewhere: .NAME.ncutils-partial-XXXX ──── commit: sync ───────────────────────► rename ◄─────┘
//!                                                                                    sync the directory
//! ```
//!
//! So a killed process leaves nothing, or one file whose name marks it as partial; see [`crate::file::unfinished::partial`].

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tracing::debug;

use super::lock;
use super::symlinks::follow_symlinks;
use super::take_over::take_over;
use crate::Output;
use crate::file::stop_point::{self, reach};
use crate::file::unfinished::partial::{PartialName, directory_of, partial_beside};
use crate::file::unfinished::unnamed::{give_name, open_unnamed};
use ncutils_model::error::{Error, Result};

/// True if two paths name the same file (equal device and inode). False if either does not exist.
fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// A local file that is being written. It appears under its name when it is committed.
#[derive(Debug)]
pub struct FileOutput {
    file: File,
    /// How the file gets its name; taken by the commit.
    pending: Mutex<Option<Pending>>,
}

#[derive(Debug)]
enum Pending {
    /// A file without a name, in the target's directory.
    Unnamed { target: PathBuf },
    /// A partial file next to the target.
    Named { name: PartialName, target: PathBuf },
    /// A device, which is written in place.
    Device,
}

impl FileOutput {
    /// Starts writing the file `path`. A symbolic link is followed and its target replaced. The mode, the owner if permitted,
    /// the access list and the user's extended attributes of an existing file are kept. Nothing changes at `path` until the commit.
    ///
    /// # Errors
    /// Names the path if its directory does not exist or cannot be written to, if the existing file is
    /// write-protected, or if `path` is a directory, pipe, socket or terminal.
    pub fn create(path: &Path) -> Result<Self> {
        Self::create_unnamed(path).map_err(|e| e.in_file(path))
    }

    /// Same as [`create`](Self::create), but errors do not name the path.
    pub fn create_unnamed(path: &Path) -> Result<Self> {
        let cannot = |e| Error::io("cannot create", e);
        let existing = match fs::metadata(path) {
            Ok(found) => Some(found),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(cannot(e)),
        };
        if let Some(found) = &existing {
            let kind = found.file_type();
            if kind.is_dir() {
                return Err(cannot(io::ErrorKind::IsADirectory.into()));
            }
            if kind.is_char_device() {
                return Self::open_device(path).map_err(cannot);
            }
            if !kind.is_file() {
                return Err(not_seekable());
            }
            // Renaming over a file needs no write permission on it. A file that its owner protected is not
            // replaced all the same.
            rustix::fs::access(path, rustix::fs::Access::WRITE_OK).map_err(|e| cannot(e.into()))?;
            lock::check_unlocked(path).map_err(cannot)?;
        }

        let target = follow_symlinks(path).map_err(cannot)?;
        if existing.is_some() && !same_file(path, &target) {
            return Err(Error::Usage(
                "the file behind this name has been removed or cannot be named; give a file name".to_owned(),
            ));
        }
        let Some(name) = target.file_name().filter(|_| !ends_in_slash(&target)) else {
            return Err(cannot(io::ErrorKind::InvalidFilename.into()));
        };
        let directory = directory_of(&target);
        let (file, pending) = match open_unnamed(directory) {
            Some(file) => (file, Pending::Unnamed { target }),
            None => {
                let (name, file) = partial_beside(directory, name, |p| {
                    OpenOptions::new().read(true).write(true).create_new(true).open(p)
                })
                .map_err(|e| Error::io(format!("cannot create a file in {}", directory.display()), e))?;
                (file, Pending::Named { name, target })
            }
        };
        if let Some(found) = existing {
            take_over(&file, path, &found).map_err(cannot)?;
        }
        Ok(Self {
            file,
            pending: Mutex::new(Some(pending)),
        })
    }

    /// A device that accepts writes at any position, such as `/dev/null`.
    fn open_device(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).open(path)?;
        // A terminal has no positions, so this call refuses it.
        rustix::fs::tell(&file)?;
        Ok(Self {
            file,
            pending: Mutex::new(Some(Pending::Device)),
        })
    }

    fn is_device(&self) -> bool {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*pending, Some(Pending::Device))
    }
}

impl Output for FileOutput {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        reach(stop_point::WRITE);
        self.file.write_all_at(data, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        if self.is_device() {
            return Ok(());
        }
        self.file.set_len(size)
    }

    fn sync(&self) -> io::Result<()> {
        match self.is_device() {
            true => Ok(()),
            false => self.file.sync_all(),
        }
    }

    fn commit(&self) -> io::Result<()> {
        reach(stop_point::COMMIT);
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Pending::Named { target, .. } | Pending::Unnamed { target }) = &pending {
            // A program may have opened it since.
            lock::check_unlocked(target)?;
        }
        let target = match pending {
            None => return Err(io::Error::other("committed twice")),
            Some(Pending::Device) => return Ok(()),
            Some(Pending::Named { name, target }) => {
                self.file.sync_all()?;
                reach(stop_point::RENAME);
                name.rename(&target)?;
                target
            }
            Some(Pending::Unnamed { target }) => {
                self.file.sync_all()?;
                give_name(&self.file, &target)?;
                target
            }
        };
        reach(stop_point::COMMITTED);
        debug!(path = ?target, "committed");
        sync_directory_of_output(directory_of(&target))
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        // A device is open for writing only, so this call fails.
        self.file.read_exact_at(buf, offset)
    }

    fn room(&self) -> Option<u64> {
        let space = rustix::fs::fstatvfs(&self.file).ok()?;
        space.f_bavail.checked_mul(space.f_frsize)
    }
}

fn not_seekable() -> Error {
    Error::Usage("a pipe or socket; data is written out of order, so name a file".to_owned())
}

fn ends_in_slash(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b"/")
}

/// Makes the name of an output durable, which is in `directory` by now.
///
/// # Errors
/// The file system fails. The error says that the output is in place.
pub(crate) fn sync_directory_of_output(directory: &Path) -> io::Result<()> {
    sync_directory(directory).map_err(|error| {
        let told = format!("the output is in place, but its folder cannot be synchronized: {error}");
        io::Error::new(error.kind(), told)
    })
}

/// Makes the names in `directory` durable.
///
/// # Errors
/// The file system fails.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory).and_then(|d| d.sync_all()) {
        // Some file systems do not sync directories, and a directory may be writable but not readable. The
        // data itself is safe.
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::unfinished::partial::MAX_NAME;
    use crate::{FileSource, Object};
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn write(path: &Path, text: &[u8]) -> FileOutput {
        let out = FileOutput::create(path).unwrap();
        out.write_all_at(0, text).unwrap();
        out
    }

    /// An output as on a file system without unnamed files.
    fn named(path: &Path) -> FileOutput {
        let (name, file) = partial_beside(directory_of(path), path.file_name().unwrap(), |p| {
            OpenOptions::new().read(true).write(true).create_new(true).open(p)
        })
        .unwrap();
        FileOutput {
            file,
            pending: Mutex::new(Some(Pending::Named {
                name,
                target: path.to_owned(),
            })),
        }
    }

    #[test]
    fn appears_only_when_committed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.nc");
        let out = write(&path, b"new");
        assert!(!path.exists());
        out.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(out.commit().is_err());
        drop(out);
        assert_eq!(names(dir.path()), ["out.nc"]);
    }

    #[test]
    fn replaces_only_when_committed_and_keeps_the_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.nc");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        drop(write(&path, b"dropped"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let out = write(&path, b"new");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        out.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(names(dir.path()), ["out.nc"]);
    }

    #[test]
    fn partial_files_say_what_they_are_and_leave_no_litter() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.nc");
        fs::write(&path, "old").unwrap();
        let out = named(&path);
        out.set_size(3).unwrap();
        out.read_back_at(0, &mut [1; 3]).unwrap();
        assert!(names(dir.path())[0].starts_with(".out.nc.ncutils-partial-"));
        drop(out);
        assert_eq!(names(dir.path()), ["out.nc"]);
        let out = named(&path);
        out.write_all_at(2, b"x").unwrap();
        out.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"\0\0x");
        assert_eq!(names(dir.path()), ["out.nc"]);
    }

    #[test]
    fn long_names_have_room_for_the_partial_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("n".repeat(MAX_NAME));
        let out = named(&path);
        out.commit().unwrap();
        assert!(path.exists());
        write(&path, b"again").commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"again");
    }

    #[test]
    fn symbolic_links_stay_and_their_targets_change() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("data")).unwrap();
        fs::write(dir.path().join("data/real.nc"), "old").unwrap();
        symlink("data/real.nc", dir.path().join("link.nc")).unwrap();
        symlink("data/later.nc", dir.path().join("dangling.nc")).unwrap();
        symlink("loop.nc", dir.path().join("loop.nc")).unwrap();
        for (link, real) in [("link.nc", "data/real.nc"), ("dangling.nc", "data/later.nc")] {
            write(&dir.path().join(link), b"new").commit().unwrap();
            assert!(fs::symlink_metadata(dir.path().join(link)).unwrap().is_symlink());
            assert_eq!(fs::read(dir.path().join(real)).unwrap(), b"new");
        }
        assert_eq!(names(&dir.path().join("data")), ["later.nc", "real.nc"]);
        assert!(FileOutput::create(&dir.path().join("loop.nc")).is_err());
    }

    #[test]
    fn what_cannot_be_a_target_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("no/such/out.nc");
        for path in [dir.path(), &missing, Path::new(""), &dir.path().join("new/")] {
            let error = FileOutput::create(path).unwrap_err().to_string();
            assert!(error.contains("cannot create"), "{error}");
        }
        let fifo = dir.path().join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let error = FileOutput::create(&fifo).unwrap_err().to_string();
        assert!(error.contains("pipe"), "{error}");
        let error = FileSource::open(&fifo).unwrap_err().to_string();
        assert!(error.contains("regular"), "{error}");
        assert_eq!(names(dir.path()), ["fifo"]);
    }

    #[test]
    fn devices_are_written_in_place() {
        let out = write(Path::new("/dev/null"), b"gone");
        out.set_size(1 << 40).unwrap();
        out.commit().unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        #[cfg(target_os = "linux")]
        {
            let full = FileOutput::create(Path::new("/dev/full")).unwrap();
            let error = full.write_all_at(0, b"x").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }

    #[test]
    fn a_size_beyond_the_data_is_a_hole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sparse");
        let out = FileOutput::create(&path).unwrap();
        out.set_size(5 << 30).unwrap();
        out.write_all_at((5 << 30) - 1, b"x").unwrap();
        out.commit().unwrap();
        let found = fs::metadata(&path).unwrap();
        assert_eq!(found.len(), 5 << 30);
        assert!(found.blocks() < 1 << 11, "{} blocks", found.blocks());
        let source = FileSource::open(&path).unwrap();
        let mut last = [0; 2];
        source.read_exact_at((5 << 30) - 2, &mut last).unwrap();
        assert_eq!(&last, b"\0x");
        let past = source.read_exact_at((5 << 30) - 1, &mut last).unwrap_err();
        assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
        let past = source.read_exact_at(u64::MAX, &mut last).unwrap_err();
        assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn links_are_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|n| dir.path().join(n));
        fs::write(&a, "").unwrap();
        fs::write(&c, "").unwrap();
        fs::hard_link(&a, &b).unwrap();
        assert!(same_file(&a, &b));
        assert!(!same_file(&a, &c));
        assert!(!same_file(&a, &dir.path().join("none")));
    }
}
