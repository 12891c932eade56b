//! Reading local files.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{OFlags, SeekFrom};
use rustix::io::Errno;

use super::file_version::FileVersion;
use super::lock;
use crate::{Object, ObjectState};
use ncutils_model::error::{Error, Result};

/// A local file that is being read. Its size is fixed when it is opened.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    version: FileVersion,
    /// True if the file was opened here, so that a lock of it is this source's alone.
    is_own: bool,
}

impl FileSource {
    /// Opens a regular file.
    ///
    /// # Errors
    /// Names the path if the file does not exist, may not be read, or is not a regular file. (A pipe cannot
    /// be read out of order.)
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_unnamed(path).map_err(|e| e.in_file(path))
    }

    /// Same as [`open`](Self::open), but errors do not name the path.
    pub fn open_unnamed(path: &Path) -> Result<Self> {
        // Checked before opening, because opening a device may change it.
        check_regular(&fs::metadata(path).map_err(cannot_open)?)?;
        Self::open_found(path)
    }

    /// Same as [`open_unnamed`](Self::open_unnamed), for a path at which a regular file was found.
    ///
    /// # Errors
    /// The same. What took the file's place since is not read.
    pub fn open_found(path: &Path) -> Result<Self> {
        let file = open_without_waiting(path).map_err(cannot_open)?;
        let found = file.metadata().map_err(cannot_open)?;
        check_regular(&found)?;
        Ok(Self {
            version: FileVersion::of(&found),
            file,
            is_own: true,
        })
    }

    /// Reads an open regular file.
    pub fn of(file: File) -> io::Result<Self> {
        Ok(Self {
            version: FileVersion::of(&file.metadata()?),
            file,
            is_own: false,
        })
    }
}

fn cannot_open(error: io::Error) -> Error {
    Error::io("cannot open", error)
}

fn check_regular(found: &Metadata) -> Result<()> {
    if found.is_dir() {
        return Err(cannot_open(io::ErrorKind::IsADirectory.into()));
    }
    match found.is_file() {
        true => Ok(()),
        false => Err(Error::Usage(
            "not a regular file; data is read out of order, so copy it to a file first".to_owned(),
        )),
    }
}

/// Opens a file to read it. A pipe or device that took its place is not waited for.
pub(super) fn open_without_waiting(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    OpenOptions::new()
        .read(true)
        .custom_flags(flags as i32)
        .open(path)
}

impl Object for FileSource {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.version.size))
    }

    fn state(&self) -> io::Result<ObjectState> {
        Ok(ObjectState {
            etag: None,
            modified: self.version.modified,
        })
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.version.check(&self.file.metadata()?)
    }

    fn is_locked_for_writing(&self) -> Option<bool> {
        // Trying the lock of a file that another program passed on would release that program's lock.
        self.is_own
            .then(|| lock::is_locked_for_writing(&self.file))
            .flatten()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        match offset.checked_add(buf.len() as u64) {
            Some(end) if end <= self.version.size => self.file.read_exact_at(buf, offset),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn next_data(&self, offset: u64) -> io::Result<u64> {
        // This moves the file's position, which no read here uses.
        match rustix::fs::seek(&self.file, SeekFrom::Data(offset)) {
            Ok(next) => Ok(next),
            Err(Errno::NXIO) => Ok(self.version.size.max(offset)),
            // The file system does not report holes.
            Err(_) => Ok(offset),
        }
    }

    fn next_hole(&self, offset: u64) -> io::Result<u64> {
        // This moves the file's position, which no read here uses.
        match rustix::fs::seek(&self.file, SeekFrom::Hole(offset)) {
            Ok(next) => Ok(next),
            Err(Errno::NXIO) => Ok(self.version.size.max(offset)),
            // The file system does not report holes.
            Err(_) => Ok(u64::MAX),
        }
    }
}
