//! An object as a stream of bytes.

use std::io::{self, Read};
use std::sync::Arc;

use super::{Object, known_size};
use crate::error::Result;

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;

/// Reads an object from its beginning to its end.
///
/// # Errors
/// If the object does not tell its size.
pub(crate) fn object_stream(object: Arc<dyn Object>) -> Result<impl Read + Send> {
    object_stream_in(object, PIECE)
}

/// Like [`object_stream`], by requests of `piece` bytes.
///
/// # Errors
/// Those of [`object_stream`].
pub(crate) fn object_stream_in(object: Arc<dyn Object>, piece: usize) -> Result<impl Read + Send> {
    let size = known_size(&*object)?;
    let stream = ObjectStream { object, at: 0, size };
    Ok(io::BufReader::with_capacity(piece, stream))
}

struct ObjectStream {
    object: Arc<dyn Object>,
    at: u64,
    size: u64,
}

impl Read for ObjectStream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.size - self.at).unwrap_or(usize::MAX);
        let count = buf.len().min(left);
        self.object.read_exact_at(self.at, &mut buf[..count])?;
        self.at += count as u64;
        Ok(count)
    }
}
