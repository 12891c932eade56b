//! The [`Object`] trait: a sequence of bytes that many threads read at any position.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::SystemTime;

use crate::requests::requests::{ByteRange, Done, FailedRequest, Requests};

/// What tells whether an object was changed, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectState {
    /// The ETag, as the server gives it.
    pub etag: Option<String>,
    /// The time of the last change.
    pub modified: Option<SystemTime>,
}

/// An object that can be read at any position: a local file, memory, a member of an archive, or a remote
/// object.
///
/// [`read_exact_at`](Self::read_exact_at) blocks the calling thread, [`fetch`](Self::fetch) need not.
/// Asynchronous code stays behind this trait.
pub trait Object: Send + Sync {
    /// The size in bytes; `None` if the object does not know it.
    ///
    /// # Errors
    /// If the size cannot be queried.
    fn size(&self) -> io::Result<Option<u64>>;

    /// The size in bytes, if need be after all of it was read: that of a pipe, which does not know it before.
    ///
    /// # Errors
    /// If the size cannot be queried, or a pipe cannot be read.
    fn end(&self) -> io::Result<Option<u64>> {
        self.size()
    }

    /// All bytes of a pipe whose end was not reached, from its beginning on, as they come. They can be read only once, and not in
    /// another way. `None` for any other object.
    fn take_stream(&self) -> Option<Box<dyn Read + Send>> {
        None
    }

    /// Fills `buf` with the bytes from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` if the object ends before `buf` is full. Otherwise the store's error.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()>;

    /// The last `length` bytes, or all bytes if the object is shorter.
    ///
    /// # Errors
    /// `Unsupported` if the object neither knows its size nor serves a suffix.
    fn read_suffix(&self, length: usize) -> io::Result<Vec<u8>> {
        let size = self.size()?.ok_or(io::ErrorKind::Unsupported)?;
        let length = size.min(length as u64);
        let mut bytes = vec![0; length as usize];
        self.read_exact_at(size - length, &mut bytes)?;
        Ok(bytes)
    }

    /// The first position at or after `offset` that may hold data, or the end of the object. All bytes before
    /// it are a hole. Returns `offset` if nothing is known.
    ///
    /// # Errors
    /// If holes cannot be queried.
    fn next_data(&self, offset: u64) -> io::Result<u64> {
        Ok(offset)
    }

    /// The first position at or after `offset` that is a hole, or the end of the object. `u64::MAX` if
    /// nothing is known.
    ///
    /// # Errors
    /// If holes cannot be queried.
    fn next_hole(&self, offset: u64) -> io::Result<u64> {
        let _ = offset;
        Ok(u64::MAX)
    }

    /// Compares the object with what it was when it was opened, as far as that takes no request.
    ///
    /// # Errors
    /// The object has changed, so that what was read may be parts of two.
    fn check_unchanged(&self) -> io::Result<()> {
        Ok(())
    }

    /// What tells whether the object was changed since someone wrote it down. On a slow store, this is a request.
    ///
    /// # Errors
    /// If the store fails.
    fn state(&self) -> io::Result<ObjectState> {
        Ok(ObjectState::default())
    }

    /// True if a program holds the file's lock for writing. `None` if that is not known, and for what is no file.
    fn is_locked_for_writing(&self) -> Option<bool> {
        None
    }

    /// Bytes of the object that stay in memory while it is open.
    fn bytes_held(&self) -> u64 {
        0
    }

    /// The requests that suit this object best.
    fn requests(&self) -> Requests {
        Requests::LOCAL
    }

    /// Reads many ranges and passes them to `done`, in the requested order. A slow object returns at once,
    /// joins neighbouring ranges ([`Requests::gap`]) and runs up to [`Requests::in_flight`] requests at a
    /// time. This default reads one range after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error if a range cannot be read: a [`FailedRequest`] if it is known which one.
    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let read = |range: &ByteRange| -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            bytes
                .try_reserve_exact(range.length)
                .map_err(|_| io::ErrorKind::OutOfMemory)?;
            bytes.resize(range.length, 0);
            self.read_exact_at(range.offset, &mut bytes)?;
            Ok(bytes)
        };
        let read = |(n, range)| read(range).map_err(|e| FailedRequest::error(n, e));
        done(ranges.iter().enumerate().map(read).collect());
    }
}
