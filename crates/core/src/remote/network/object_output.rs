//! [`ObjectOutput`]: one object of a remote store that is being written.
//!
//! ```text
//! write_all_at ─► Upload ─► parts, as soon as they are complete
//! read_back_at ─► from now on everything waits in a temporary file
//! commit ───────► the parts that are left ─► complete: the object appears, in place of an older one
//! drop ─────────► abort
//! ```

use std::io;
use std::sync::{Arc, Weak};

use object_store::path::Path;
use tracing::debug;

use super::part_table::PartSizes;
use super::sending::Sending;
use super::session::Session;
use super::upload::{PATIENCE, Upload};
use crate::store::Output;
use crate::store::file::partial::wait_while_ending;
use crate::store::place::unfinished::{Unfinished, list, remains};

/// One object that is being written. An object that is there already is replaced by [`commit`](Output::commit), as a
/// whole.
///
/// Bytes that went up cannot be written again, nor read back.
pub(crate) struct ObjectOutput {
    sending: Arc<Sending>,
    upload: Arc<Upload>,
    giving_up: Arc<GivingUp>,
}

impl ObjectOutput {
    /// Starts the object with this key. It holds at most about `memory` bytes. `expected` is its size in bytes, roughly,
    /// from above.
    ///
    /// # Errors
    /// A key that the store does not take. If much is expected, also a bucket that is not there, or may not be written to.
    pub(crate) fn create(
        session: Arc<Session>,
        key: &str,
        memory: u64,
        expected: Option<u64>,
    ) -> io::Result<Self> {
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
        let sending = Sending::new(session, memory);
        let upload = Upload::new(Arc::clone(&sending), path, "", sizes, expected, true);
        let giving_up = Arc::new(GivingUp {
            sending: Arc::clone(&sending),
            upload: Arc::clone(&upload),
        });
        let listed: Weak<GivingUp> = Arc::downgrade(&giving_up);
        list(listed);
        let output = Self {
            sending,
            upload,
            giving_up,
        };
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
pub(super) fn object_path(key: &str) -> io::Result<Path> {
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
        self.sending
            .wait()
            .map_err(|e| match self.upload.may_be_there() {
                true => io::Error::new(
                    e.kind(),
                    format!("{e}; the store may have replaced the object all the same"),
                ),
                false => e,
            })?;
        if !self.upload.is_complete() {
            return Err(io::Error::other("the output was given up"));
        }
        debug!(key = %self.upload.path(), "committed");
        Ok(())
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.upload.read_back(offset, buf)
    }
}

impl Drop for ObjectOutput {
    fn drop(&mut self) {
        wait_while_ending();
        self.giving_up.give_up();
    }
}

/// Aborts the upload, unless the object is complete.
struct GivingUp {
    sending: Arc<Sending>,
    upload: Arc<Upload>,
}

impl Unfinished for GivingUp {
    fn give_up(&self) {
        if self.upload.is_complete() {
            return;
        }
        self.sending.stop(PATIENCE);
        if let Err(e) = self.upload.abort() {
            let (shown, path) = (self.sending.shown(), self.upload.path());
            remains(format!("parts of an upload of {path} may stay in {shown}: {e}"));
        }
    }
}

#[cfg(test)]
mod tests;
