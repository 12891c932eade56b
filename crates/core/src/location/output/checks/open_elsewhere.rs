//! The check that no other program has the output open.

use std::fs;
use std::io;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::netcdf4::is_open_for_swmr;
use crate::location::{Location, Target};
use crate::store::{FileSource, Object, check_unlocked};

impl Location {
    /// Checks that no other program writes the local file of this name, whose data would be lost.
    ///
    /// # Errors
    /// A program holds its lock, or its flags say that it is being written for readers (SWMR).
    pub fn check_not_open(&self) -> Result<()> {
        let Target::Path(path) = &self.target else {
            return Ok(());
        };
        if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        let cannot = |why| self.named()(Error::io("cannot create", why));
        check_unlocked(path).map_err(cannot)?;
        let Ok(source) = FileSource::open(path) else {
            return Ok(());
        };
        let source: Arc<dyn Object> = Arc::new(source);
        match is_open_for_swmr(&source) {
            true => Err(cannot(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "the file of this name is open for writing and reading at once (SWMR): close it, clear its flags with h5clear if its writer was killed, or name another file",
            ))),
            false => Ok(()),
        }
    }
}
