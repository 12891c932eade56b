//! [`Output`]: one object that is being written.

use std::io;

/// An object that is being written, by many threads at once. Bytes never written read as zero.
pub trait Output: Send + Sync {
    /// Writes all of `data` at byte `offset`. The object grows if needed.
    ///
    /// # Errors
    /// If the store fails.
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Sets the size in bytes. Cuts the object, or extends it with zeros (a hole if the store supports them).
    ///
    /// # Errors
    /// If the store fails.
    fn set_size(&self, size: u64) -> io::Result<()>;

    /// Makes what was written so far durable, so that a commit takes little time. Outputs that cannot do nothing.
    ///
    /// # Errors
    /// If the store fails.
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Makes the whole output durable and visible under its name. If it is dropped without a commit, nothing
    /// remains.
    fn commit(&self) -> io::Result<()>;

    /// Fills `buf` with bytes written earlier, starting at byte `offset`. The range lies below the size that
    /// was set.
    ///
    /// # Errors
    /// `Unsupported` if the output can only be written. A writer then does without.
    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let _ = (offset, buf);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Bytes that the store still has room for; `None` if it is not known.
    fn room(&self) -> Option<u64> {
        None
    }
}
