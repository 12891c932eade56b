//! [`ByteSource`]: storage that a file is read from.

use std::io;

/// The default of [`ByteSource::readahead`], suitable for local files.
pub(crate) const LOCAL_READAHEAD: usize = 16 * 1024;

/// One of several simultaneous reads: see [`ByteSource::read_many_at`].
#[derive(Debug)]
pub struct ReadRequest<'a> {
    /// Position in the source, in bytes.
    pub offset: u64,
    /// The buffer, which is filled completely.
    pub buf: &'a mut [u8],
}

impl<'a> ReadRequest<'a> {
    /// A read of `buf.len()` bytes from byte `offset` on.
    pub fn new(offset: u64, buf: &'a mut [u8]) -> Self {
        Self { offset, buf }
    }
}

/// Bytes that can be read at any position from many threads at once.
///
/// Implemented for [`std::fs::File`], byte slices and vectors, and for references, boxes and [`Arc`](std::sync::Arc)s
/// of sources. An implementation needs [`size`](Self::size) and [`read_exact_at`](Self::read_exact_at). A slow source
/// should implement the other functions too.
pub trait ByteSource: Send + Sync {
    /// Size in bytes. `None` if the source does not know it; the end is then where a read fails with `UnexpectedEof`.
    fn size(&self) -> io::Result<Option<u64>>;

    /// Fills `buf` from byte `offset` on. Fails with `UnexpectedEof` if the source ends first.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()>;

    /// Performs several reads, which may be in any order and overlap. If one fails, the call fails, and the content of
    /// all buffers is undefined.
    ///
    /// A slow source should have all reads in flight at once, and may join adjacent ones. The default performs one
    /// after another.
    fn read_many_at(&self, reads: &mut [ReadRequest<'_>]) -> io::Result<()> {
        for read in reads {
            self.read_exact_at(read.offset, read.buf)?;
        }
        Ok(())
    }

    /// Number of bytes whose transfer takes about as long as one more request: about 16 KiB for a local file (the
    /// default), a megabyte or more for a remote object.
    ///
    /// Metadata is fetched in pieces of at least this size. Two pieces closer together than this are fetched as one.
    fn readahead(&self) -> usize {
        LOCAL_READAHEAD
    }

    /// The first position from `offset` on that may hold bytes other than zero, or the end. The bytes before it are
    /// known to be a hole. Returns `offset` if nothing is known.
    fn next_data(&self, offset: u64) -> io::Result<u64> {
        Ok(offset)
    }
}
