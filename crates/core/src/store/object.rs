//! An object: bytes at positions, read by many threads at once.

use std::io;
use std::sync::Arc;

use super::requests::{ByteRange, Done, Requests};

/// An object that can be read at any position: a local file, memory, a member of an archive, a remote object.
///
/// Reading blocks the calling thread in [`read_exact_at`](Self::read_exact_at), and does not in
/// [`fetch`](Self::fetch). Whatever runs asynchronously stays behind this trait.
pub trait Object: Send + Sync {
    /// The size in bytes; `None` where the object cannot tell.
    ///
    /// # Errors
    /// Where the object cannot be asked.
    fn size(&self) -> io::Result<Option<u64>>;

    /// Fills `buf` from byte `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` where the object ends before `buf` is full; else what the store says.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()>;

    /// The last bytes, at most `length`; all where the object is shorter.
    ///
    /// # Errors
    /// `Unsupported` where the object knows neither its size nor serves a suffix.
    fn read_suffix(&self, length: usize) -> io::Result<Vec<u8>> {
        let size = self.size()?.ok_or(io::ErrorKind::Unsupported)?;
        let length = size.min(length as u64);
        let mut bytes = vec![0; length as usize];
        self.read_exact_at(size - length, &mut bytes)?;
        Ok(bytes)
    }

    /// The first position from `offset` on that may hold something else than zeros, or the end. The bytes before it are
    /// known to be a hole. `offset` where nothing is known.
    ///
    /// # Errors
    /// Where the object cannot be asked.
    fn next_data(&self, offset: u64) -> io::Result<u64> {
        Ok(offset)
    }

    /// The first position from `offset` on that is known to be a hole, or the end. `u64::MAX` where nothing is known.
    ///
    /// # Errors
    /// Where the object cannot be asked.
    fn next_hole(&self, offset: u64) -> io::Result<u64> {
        let _ = offset;
        Ok(u64::MAX)
    }

    /// How the object likes to be asked.
    fn requests(&self) -> Requests {
        Requests::LOCAL
    }

    /// Reads many ranges and hands them to `done`, in the order asked for. A slow object returns at once, joins
    /// neighbouring ranges ([`Requests::gap`]) and has up to [`Requests::in_flight`] requests under way. This default
    /// reads one range after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error of a range that cannot be read.
    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let read = |range: &ByteRange| {
            let mut bytes = Vec::new();
            bytes
                .try_reserve_exact(range.length)
                .map_err(|_| io::ErrorKind::OutOfMemory)?;
            bytes.resize(range.length, 0);
            self.read_exact_at(range.offset, &mut bytes)?;
            Ok(bytes)
        };
        done(ranges.iter().map(read).collect());
    }
}
