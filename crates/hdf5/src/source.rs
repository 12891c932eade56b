//! Where the bytes of a file come from and go to.
//!
//! The crate opens no file itself: a [`ByteSource`] or [`ByteSink`] may be a local file, memory, a member of a zip
//! or a remote object. Both are positional, so that many threads read and write without a lock.

use std::io;

/// Bytes that can be read at any position from many threads at once.
pub trait ByteSource: Send + Sync {
    /// The size in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Fills `buf` from byte `offset` on. Fails with `UnexpectedEof` where the source ends before `buf` is full.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()>;

    /// The first position from `offset` on that may hold something else than zeros, or the end: what lies between is known to be
    /// a hole. `offset` where nothing is known.
    fn next_data(&self, offset: u64) -> io::Result<u64> {
        Ok(offset)
    }
}

/// Bytes that can be written at any position from many threads at once. Positions never written read as zero.
pub trait ByteSink: Send + Sync {
    /// Writes the whole of `data` at byte `offset`, growing the sink where needed.
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Sets the size in bytes, cutting or extending with zeros (as a hole where the store can).
    fn set_size(&self, size: u64) -> io::Result<()>;
}

impl ByteSource for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|start| self.get(start..start.checked_add(buf.len())?))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        buf.copy_from_slice(bytes);
        Ok(())
    }
}

impl<T: ByteSource + ?Sized> ByteSource for std::sync::Arc<T> {
    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        (**self).read_exact_at(offset, buf)
    }

    fn next_data(&self, offset: u64) -> io::Result<u64> {
        (**self).next_data(offset)
    }
}

impl<T: ByteSink + ?Sized> ByteSink for std::sync::Arc<T> {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        (**self).write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        (**self).set_size(size)
    }
}
