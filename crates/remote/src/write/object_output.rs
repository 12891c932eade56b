//! [`ObjectOutput`]: one object of a remote store that is being written.
//!
//! ```text
//! write_all_at ─► Upload ─► parts, as soon as they are complete
//! read_back_at ─► from now on everything waits in a temporary file
//! commit ───────► the parts that are left ─► complete: the object appears, in place of an older one
//! drop ─────────► abort
//! ```

use std::io;
use std::sync::Arc;

use object_store::path::Path;

use super::multipart_upload::Upload;
use super::part_table::PartSizes;
use super::sending::Sending;
use crate::requests::Session;
use ncutils_store::Output;
use ncutils_store::io::incomplete_outputs::IncompleteOutput;

/// One object that is being written. An object that is there already is replaced by [`commit`](Output::commit), as a
/// whole.
///
/// Bytes that went up cannot be written again, nor read back.
pub struct ObjectOutput {
    upload: IncompleteOutput<Upload>,
}

impl ObjectOutput {
    /// Starts the object with this key. It holds at most about `memory` bytes. `expected` is its size in bytes, roughly,
    /// from above.
    ///
    /// # Errors
    /// A key that the store does not take. If much is expected, also a bucket that is not there, or may not be written to.
    pub fn create(session: Arc<Session>, key: &str, memory: u64, expected: Option<u64>) -> io::Result<Self> {
        Self::with_sizes(session, key, memory, expected, PartSizes::REMOTE)
    }

    fn with_sizes(
        session: Arc<Session>,
        key: &str,
        memory: u64,
        expected: Option<u64>,
        sizes: PartSizes,
    ) -> io::Result<Self> {
        let path = object_path(key)?;
        let upload = Upload::new(Sending::new(session, memory), path, "", sizes, expected, true);
        let upload = IncompleteOutput::new(upload);
        let output = Self { upload };
        // What takes long to write fails now, and not at its end.
        if expected.is_some_and(|expected| expected > EARLY) {
            output.upload.begin()?;
        }
        Ok(output)
    }
}

/// An object of which more bytes are expected begins as an upload in parts.
const EARLY: u64 = 64 << 20;

/// Longest key in bytes that S3 takes.
const LONGEST: usize = 1024;

/// The path of a key.
///
/// # Errors
/// `InvalidInput` if the key is empty, too long, or has parts that no key may have.
pub(crate) fn object_path(key: &str) -> io::Result<Path> {
    let invalid = |why: String| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if key.len() > LONGEST {
        return invalid(format!("a key of {} bytes is longer than {LONGEST}", key.len()));
    }
    match Path::parse(key) {
        Ok(path) if !key.is_empty() && path.as_ref() == key => Ok(path),
        _ => invalid(format!("{key:?} cannot be the key of an object")),
    }
}

impl Output for ObjectOutput {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.upload.write(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.upload.set_size(size);
        Ok(())
    }

    fn commit(&self) -> io::Result<()> {
        if self.upload.is_complete() {
            return Err(io::Error::other("committed twice"));
        }
        self.upload.finish()?;
        self.upload
            .sending()
            .wait()
            .map_err(|e| match self.upload.may_be_there() {
                true => io::Error::new(
                    e.kind(),
                    format!("{e}; the store may have replaced the object all the same"),
                ),
                false => e,
            })?;
        match self.upload.is_complete() {
            true => Ok(()),
            false => Err(io::Error::other("the output was given up")),
        }
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.upload.read_back(offset, buf)
    }
}

#[cfg(test)]
mod tests;
