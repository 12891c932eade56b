//! [`GrowingFile`]: a local file that bytes are added to where it is.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Output;
use crate::file::stop_point::{self, reach};

/// A local file that bytes are added to where it is. What its format leads to is replaced last, and by the writer of the format, so
/// that a run that is killed leaves the old file. If it is dropped before the first [sync](Output::sync), behind which the format
/// changes what leads to its data, the file gets its old size back.
#[derive(Debug)]
pub struct GrowingFile {
    file: File,
    /// Its size before, in bytes.
    old_size: u64,
    /// True once what was added is durable, and the format may lead to it.
    switching: AtomicBool,
}

impl GrowingFile {
    /// Opens a file. The caller has its lock.
    ///
    /// # Errors
    /// It cannot be opened for writing.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "only a file can grow where it is",
            ));
        }
        Ok(Self {
            file,
            old_size: found.len(),
            switching: AtomicBool::new(false),
        })
    }
}

impl Output for GrowingFile {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        reach(stop_point::WRITE);
        self.file.write_all_at(data, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.file.set_len(size)
    }

    fn sync(&self) -> io::Result<()> {
        reach(stop_point::SYNC);
        self.file.sync_data()?;
        self.switching.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn commit(&self) -> io::Result<()> {
        self.switching.store(true, Ordering::Relaxed);
        self.file.sync_all()?;
        reach(stop_point::COMMITTED);
        Ok(())
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buf, offset)
    }
}

impl Drop for GrowingFile {
    fn drop(&mut self) {
        if !self.switching.load(Ordering::Relaxed) {
            // What could not be added is of no use. The old file is whole with it, too.
            let _ = self.file.set_len(self.old_size);
        }
    }
}
