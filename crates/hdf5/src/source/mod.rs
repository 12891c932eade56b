//! Where the bytes of a file come from and go to.
//!
//! A [`ByteSource`] or [`ByteSink`] may be a local file, memory, a member of a zip archive or a remote object. Both are
//! positional, so that many threads read and write without a lock.

mod file;
mod memory;
mod pointer;

use std::io;

/// The default of [`ByteSource::readahead`]: what suits local files.
pub(crate) const LOCAL_READAHEAD: usize = 16 * 1024;

/// One of several reads that are asked for together: see [`ByteSource::read_many_at`].
#[derive(Debug)]
pub struct ReadRequest<'a> {
    /// Position in the source, in bytes.
    pub offset: u64,
    /// Where the bytes go. All of it is filled.
    pub buf: &'a mut [u8],
}

impl<'a> ReadRequest<'a> {
    /// A read that fills `buf` from byte `offset` on.
    pub fn new(offset: u64, buf: &'a mut [u8]) -> Self {
        Self { offset, buf }
    }
}

/// Bytes that can be read at any position from many threads at once.
///
/// Implemented for [`std::fs::File`], byte slices and vectors, and for references, boxes and [`Arc`](std::sync::Arc)s
/// of sources. A source of one's own needs [`size`](Self::size) and [`read_exact_at`](Self::read_exact_at); one that is
/// slow to answer should have the others, too.
pub trait ByteSource: Send + Sync {
    /// The size in bytes. `None` where the source cannot tell: the end is where a read fails with `UnexpectedEof`.
    fn size(&self) -> io::Result<Option<u64>>;

    /// Fills `buf` from byte `offset` on. Fails with `UnexpectedEof` where the source ends before `buf` is full.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()>;

    /// Does several reads, which may come in any order and overlap. Fails where any of them fails; then all buffers
    /// may hold anything.
    ///
    /// A slow source should have all reads in flight at once, and may join neighbours. The default does one after another.
    fn read_many_at(&self, reads: &mut [ReadRequest<'_>]) -> io::Result<()> {
        for read in reads {
            self.read_exact_at(read.offset, read.buf)?;
        }
        Ok(())
    }

    /// How many bytes take about as long to transfer as one more request: 16 KiB or so for a local file (the default),
    /// a megabyte or more for a remote object.
    ///
    /// Metadata is fetched in pieces of at least this size, and two pieces that lie closer together are fetched as one.
    fn readahead(&self) -> usize {
        LOCAL_READAHEAD
    }

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
