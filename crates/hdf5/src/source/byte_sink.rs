//! [`ByteSink`]: storage that a file is written to.

use std::io;

/// Bytes that can be written at any position from many threads at once. Positions that were never written read as zero.
pub trait ByteSink: Send + Sync {
    /// Writes all of `data` at byte `offset`. The sink grows if needed.
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Sets the size in bytes. The sink is cut, or extended with zeros (a hole, if possible).
    fn set_size(&self, size: u64) -> io::Result<()>;

    /// Makes what was written so far durable. Called before the superblock of a file that grows is replaced. Sinks that cannot do
    /// nothing.
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
