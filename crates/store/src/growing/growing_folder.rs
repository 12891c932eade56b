//! [`GrowingFolder`]: a folder of keys that values are added to where it is.
//!
//! ```text
//! open ─► mark: locked while the process lives ─► note: what undoes what follows ─► put ─► put_last ─► publish: the mark goes
//!           └─ from a run that was killed: its note, which the format undoes first
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::OFlags;

use crate::file::file_output::sync_directory;
use crate::file::stop_point::{self, reach};
use crate::folder::directory_output::{DirectoryOutput, sync};
use crate::folder::owner::UNFINISHED;
use crate::keys::key::GROWING;
use crate::keys::keys::SWITCHING;
use crate::{GrowingKeys, KeyOutput, KeyStore, ValueWriter};

/// Most bytes of a note that are read.
const MOST_NOTED: u64 = 1 << 30;

/// A folder of keys that values are added to where it is. Each value appears as a whole. Those of
/// [`put_last`](KeyOutput::put_last) come when all others are durable, in the order of the calls.
pub struct GrowingFolder {
    output: DirectoryOutput,
    mark: PathBuf,
    locked: File,
    /// True once the values that come first are durable, and metadata may be there.
    is_switching: AtomicBool,
    /// True if the mark has a note, by which a later run must go.
    is_noted: AtomicBool,
}

impl GrowingFolder {
    /// Begins to add to the folder `path`. Also returns the note of a run that was killed; empty if there was none.
    ///
    /// # Errors
    /// Another process adds to the folder; the folder cannot be written to.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<u8>)> {
        let folder = path.canonicalize()?;
        let mark = folder.join(GROWING);
        let mut locked = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
            .open(&mark)?;
        if !locked.metadata()?.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{GROWING} in it is no file"),
            ));
        }
        if let Err(TryLockError::WouldBlock) = locked.try_lock() {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "another process adds to it: wait until it is done",
            ));
        }
        let (held, there) = (locked.metadata()?, fs::symlink_metadata(&mark));
        if !there.is_ok_and(|there| (there.dev(), there.ino()) == (held.dev(), held.ino())) {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "another process has just added to it: try again",
            ));
        }
        let mut note = Vec::new();
        (&mut locked).take(MOST_NOTED).read_to_end(&mut note)?;
        let output = Self {
            output: DirectoryOutput::in_place(&folder)?,
            mark,
            locked,
            is_switching: AtomicBool::new(false),
            is_noted: AtomicBool::new(!note.is_empty()),
        };
        Ok((output, note))
    }
}

impl GrowingFolder {
    fn folder(&self) -> &Path {
        self.mark.parent().unwrap_or(Path::new("."))
    }

    /// Makes durable what was put.
    fn sync(&self) -> io::Result<()> {
        reach(stop_point::SYNC);
        sync(self.folder())
    }

    /// Makes durable what was put first, and notes that what leads to it may be there from now on.
    fn begin_switch(&self) -> io::Result<()> {
        if !self.is_switching.swap(true, Ordering::Relaxed) {
            self.sync()?;
            (&self.locked).write_all(SWITCHING.as_bytes())?;
            self.locked.sync_all()?;
        }
        Ok(())
    }
}

impl GrowingKeys for GrowingFolder {
    /// The lock keeps other ncutils processes out. Other programs may still write between the comparison and the rename.
    fn replace(&self, key: &str, old: &[u8], new: &[u8]) -> io::Result<bool> {
        match self.is_switching.load(Ordering::Relaxed) {
            // Values may have been put since the switch began.
            true => self.sync()?,
            false => self.begin_switch()?,
        }
        match self.output.staged(key)?.is_some_and(|found| found == old) {
            true => self.output.replace_durably(key, new).map(|()| true),
            false => Ok(false),
        }
    }

    fn note(&self, note: &[u8]) -> io::Result<()> {
        // What a note undoes, and what was undone by it, is there before the note changes.
        sync(self.folder())?;
        let mut file = &self.locked;
        self.is_noted.store(!note.is_empty(), Ordering::Relaxed);
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(note)?;
        file.sync_all()?;
        sync_directory(self.folder())
    }

    fn remove(&self, key: &str) -> io::Result<()> {
        match fs::remove_file(self.output.path_of(key)?) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    fn end(&self) -> io::Result<()> {
        match fs::remove_dir_all(self.mark.with_file_name(UNFINISHED)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        self.is_noted.store(true, Ordering::Relaxed);
        // A mark that comes back when the power fails tells nothing.
        self.locked.set_len(0)?;
        self.locked.sync_all()?;
        fs::remove_file(&self.mark)?;
        sync_directory(self.folder())
    }
}

impl Drop for GrowingFolder {
    fn drop(&mut self) {
        if !self.is_noted.load(Ordering::Relaxed) {
            // Nothing was added.
            let _ = self.end();
        }
    }
}

impl KeyOutput for GrowingFolder {
    fn put(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.output.put(key, value)
    }

    fn put_last(&self, key: &str, value: &[u8]) -> io::Result<()> {
        self.begin_switch()?;
        self.output.put(key, value)
    }

    fn create(&self, key: &str) -> io::Result<Box<dyn ValueWriter>> {
        self.output.create(key)
    }

    fn staged(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        self.output.staged(key)
    }

    fn staged_keys(&self, prefix: &str) -> io::Result<Vec<String>> {
        self.output.staged_keys(prefix)
    }

    fn read_staged(&self) -> io::Result<Option<Arc<dyn KeyStore>>> {
        self.output.read_staged()
    }

    fn publish(&self) -> io::Result<()> {
        sync(self.folder())?;
        reach(stop_point::COMMIT);
        self.end()
    }
}
