//! Adapts objects and outputs to the traits of the HDF5 crate.
//!
//! ```text
//! store::Object ─► ObjectBytes ─► ncutils_hdf5::ByteSource
//! store::Output ─► OutputBytes ─► ncutils_hdf5::ByteSink
//! ```

use std::io;
use std::sync::{Arc, mpsc};

use ncutils_hdf5::{ByteSink, ByteSource, ReadRequest};

use crate::store::{ByteRange, Object, Output};

/// An object as a source of bytes.
pub(super) struct ObjectBytes(pub Arc<dyn Object>);

impl ByteSource for ObjectBytes {
    fn size(&self) -> io::Result<Option<u64>> {
        self.0.size()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(offset, buf)
    }

    fn read_many_at(&self, reads: &mut [ReadRequest<'_>]) -> io::Result<()> {
        // From a local file this thread reads into place faster than through other threads.
        if !self.0.requests().ahead || reads.len() < 2 {
            return reads
                .iter_mut()
                .try_for_each(|read| self.0.read_exact_at(read.offset, read.buf));
        }
        let range = |read: &ReadRequest<'_>| ByteRange {
            offset: read.offset,
            length: read.buf.len(),
        };
        let (tell, told) = mpsc::sync_channel(1);
        let done = Box::new(move |found| {
            let _ = tell.send(found);
        });
        Arc::clone(&self.0).fetch(reads.iter().map(range).collect(), done);
        let unanswered = || io::Error::other("requests to the store ended without an answer");
        let found = told.recv().map_err(|_| unanswered())??;
        if found.len() != reads.len() {
            return Err(unanswered());
        }
        for (read, bytes) in reads.iter_mut().zip(found) {
            if bytes.len() != read.buf.len() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            read.buf.copy_from_slice(&bytes);
        }
        Ok(())
    }

    fn readahead(&self) -> usize {
        usize::try_from(self.0.requests().gap).unwrap_or(usize::MAX)
    }

    fn next_data(&self, offset: u64) -> io::Result<u64> {
        self.0.next_data(offset)
    }
}

/// An output as a sink of bytes.
pub(super) struct OutputBytes(pub Arc<dyn Output>);

impl ByteSink for OutputBytes {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.set_size(size)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Done, FetchPool, Requests};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Bytes on a slow store, each equal to its position.
    struct Slow {
        pool: FetchPool,
        requests: AtomicUsize,
    }

    impl Object for Slow {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(None)
        }
        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.requests.fetch_add(1, Ordering::Relaxed);
            if offset + buf.len() as u64 > 256 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            for (n, byte) in buf.iter_mut().enumerate() {
                *byte = offset as u8 + n as u8;
            }
            Ok(())
        }
        fn requests(&self) -> Requests {
            Requests::slow(8, 10)
        }
        fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
            let this = Arc::clone(&self) as Arc<dyn Object>;
            self.pool.fetch_ranges(&this, ranges, done);
        }
    }

    #[test]
    fn many_reads_are_one_fetch() {
        let slow = Arc::new(Slow {
            pool: FetchPool::new(8),
            requests: AtomicUsize::new(0),
        });
        let bytes = ObjectBytes(slow.clone());
        assert_eq!(bytes.readahead(), 10);
        let (mut a, mut b, mut c) = ([0; 3], [0; 2], [0; 1]);
        bytes
            .read_many_at(&mut [
                ReadRequest::new(20, &mut a),
                ReadRequest::new(15, &mut b),
                ReadRequest::new(200, &mut c),
            ])
            .unwrap();
        assert_eq!((a, b, c), ([20, 21, 22], [15, 16], [200]));
        assert_eq!(slow.requests.load(Ordering::Relaxed), 2, "neighbours are joined");
        let failed = bytes.read_many_at(&mut [ReadRequest::new(0, &mut a), ReadRequest::new(255, &mut b)]);
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
