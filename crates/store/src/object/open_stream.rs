//! A file, a pipe or standard input as an object.

use std::fs::File;
use std::io::{self, Seek};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;

use ncutils_model::error::{Error, Result};

use crate::{ArrivingSource, FileSource, Object, temporary_folder};

/// Opens the file `path`, or standard input. A regular file is read in place. Anything else is an [`ArrivingSource`] of which
/// nothing is read yet, with about `memory` bytes of it in memory.
///
/// # Errors
/// If it cannot be read.
pub fn open_stream(path: Option<&Path>, memory: u64) -> Result<Arc<dyn Object>> {
    let opened = match path {
        Some(path) => File::open(path),
        None => io::stdin().as_fd().try_clone_to_owned().map(File::from),
    };
    let read = |file: io::Result<File>| -> Result<Arc<dyn Object>> {
        let mut file = file.map_err(|e| Error::io("cannot open", e))?;
        let cannot_read = |e| Error::io("cannot read", e);
        let kind = file.metadata().map_err(cannot_read)?.file_type();
        // A regular file is read in place, unless the caller has already consumed its beginning.
        if kind.is_file() && file.stream_position().map_err(cannot_read)? == 0 {
            return Ok(Arc::new(FileSource::of(file).map_err(cannot_read)?));
        }
        if kind.is_dir() {
            return Err(cannot_read(io::ErrorKind::IsADirectory.into()));
        }
        let pipe = ArrivingSource::new(Box::new(file), memory, temporary_folder());
        Ok(Arc::new(pipe))
    };
    read(opened)
}
