//! An object as a stream of bytes.
//!
//! A local object is read piece by piece when its bytes are needed. Of a slow one, many pieces are requested ahead.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use crate::object::pieces_ahead::PiecesAhead;
use crate::{Object, known_size};
use ncutils_model::error::Result;

/// Bytes of a local object that are read at once.
const PIECE: usize = 256 << 10;

/// Upper limit, in bytes, of what is requested of a slow object ahead of the reader.
const AHEAD: u64 = 16 << 20;

/// Reads an object from its beginning to its end. Of a slow object, at most 16 MiB is requested ahead.
///
/// # Errors
/// If the object does not tell its size.
pub fn object_stream(object: Arc<dyn Object>) -> Result<ObjectStream> {
    object_stream_within(object, AHEAD)
}

/// Like [`object_stream`]. Of a slow object, at most `ahead` bytes are requested ahead.
///
/// # Errors
/// Those of [`object_stream`].
pub(crate) fn object_stream_within(object: Arc<dyn Object>, ahead: u64) -> Result<ObjectStream> {
    let size = known_size(&*object)?;
    Ok(ObjectStream(match object.requests().ahead {
        true => Way::Ahead(Ahead {
            pieces: PiecesAhead::new(object, 0, size, ahead),
            piece: Vec::new(),
            at: 0,
        }),
        false => {
            let stream = Positions { object, at: 0, size };
            Way::AsNeeded(BufReader::with_capacity(PIECE, stream))
        }
    }))
}

/// The bytes of an object, from its beginning to its end.
pub struct ObjectStream(Way);

enum Way {
    AsNeeded(BufReader<Positions>),
    Ahead(Ahead),
}

impl Read for ObjectStream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Way::AsNeeded(stream) => stream.read(buf),
            Way::Ahead(stream) => stream.read(buf),
        }
    }

    fn read_exact(&mut self, buf: &mut [u8]) -> io::Result<()> {
        match &mut self.0 {
            Way::AsNeeded(stream) => stream.read_exact(buf),
            Way::Ahead(stream) => stream.read_exact(buf),
        }
    }

    fn read_to_end(&mut self, buf: &mut Vec<u8>) -> io::Result<usize> {
        match &mut self.0 {
            Way::AsNeeded(stream) => stream.read_to_end(buf),
            Way::Ahead(stream) => stream.read_to_end(buf),
        }
    }
}

struct Positions {
    object: Arc<dyn Object>,
    at: u64,
    size: u64,
}

impl Read for Positions {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.size - self.at).unwrap_or(usize::MAX);
        let count = buf.len().min(left);
        self.object.read_exact_at(self.at, &mut buf[..count])?;
        self.at += count as u64;
        Ok(count)
    }
}

struct Ahead {
    pieces: PiecesAhead,
    piece: Vec<u8>,
    /// Bytes of `piece` that were read.
    at: usize,
}

impl Read for Ahead {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        if self.at == self.piece.len() {
            (self.piece, self.at) = (Vec::new(), 0);
            match self.pieces.next()? {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let count = buf.len().min(self.piece.len() - self.at);
        buf[..count].copy_from_slice(&self.piece[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use ncutils_gate::Gate;

    use super::*;
    use crate::{ByteRange, Done, FetchPool, Requests};

    /// An object whose requests take a while, and that counts them.
    struct Slow {
        bytes: Vec<u8>,
        pool: FetchPool,
        count: AtomicUsize,
        gate: Gate,
        /// Bytes under way, and the most of them.
        asked: AtomicUsize,
        most_asked: AtomicUsize,
        /// A request for this position fails once.
        fails_at: AtomicUsize,
    }

    impl Slow {
        fn new(bytes: Vec<u8>) -> Arc<Self> {
            Arc::new(Self {
                bytes,
                pool: FetchPool::new(40),
                count: AtomicUsize::default(),
                gate: Gate::default(),
                asked: AtomicUsize::default(),
                most_asked: AtomicUsize::default(),
                fails_at: AtomicUsize::new(usize::MAX),
            })
        }
    }

    impl Object for Slow {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(Some(self.bytes.len() as u64))
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.count.fetch_add(1, Ordering::SeqCst);
            self.gate.pass(|| ());
            let wanted = offset as usize..offset as usize + buf.len();
            if wanted.contains(&self.fails_at.load(Ordering::SeqCst)) {
                self.fails_at.store(usize::MAX, Ordering::SeqCst);
                return Err(io::Error::other("a bad line"));
            }
            self.bytes.read_exact_at(offset, buf)
        }

        fn requests(&self) -> Requests {
            Requests::slow(40, 0)
        }

        fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
            let bytes: usize = ranges.iter().map(|range| range.length).sum();
            let asked = self.asked.fetch_add(bytes, Ordering::SeqCst) + bytes;
            self.most_asked.fetch_max(asked, Ordering::SeqCst);
            let (this, counted) = (Arc::clone(&self) as Arc<dyn Object>, Arc::clone(&self));
            let done = move |found| {
                counted.asked.fetch_sub(bytes, Ordering::SeqCst);
                done(found);
            };
            self.pool.fetch_ranges(&this, ranges, Box::new(done));
        }
    }

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|n| ((n * 7) >> 3) as u8).collect()
    }

    #[test]
    fn a_slow_object_is_requested_ahead_within_a_limit() {
        let bytes = content(9_000_001);
        let slow = Slow::new(bytes.clone());
        let mut found = Vec::new();
        let ahead = 4 << 20;
        slow.gate.hold_until(10);
        object_stream_within(slow.clone(), ahead)
            .unwrap()
            .read_to_end(&mut found)
            .unwrap();
        assert!(found == bytes);
        assert!(slow.gate.most() >= 10);
        assert!(slow.most_asked.load(Ordering::SeqCst) as u64 <= ahead);
        assert_eq!(
            slow.count.load(Ordering::SeqCst),
            9_000_001usize.div_ceil(128 << 10)
        );
        for length in [0, 1] {
            let mut found = Vec::new();
            let mut stream = object_stream_within(Slow::new(content(length)), 0).unwrap();
            stream.read_to_end(&mut found).unwrap();
            assert_eq!(found, content(length));
        }
    }

    #[test]
    fn a_failed_piece_is_told_once_and_requested_again() {
        let bytes = content(1_000_000);
        let slow = Slow::new(bytes.clone());
        slow.fails_at.store(600_000, Ordering::SeqCst);
        let mut stream = object_stream(slow).unwrap();
        let mut found = Vec::new();
        let error = stream.read_to_end(&mut found).unwrap_err();
        assert_eq!(error.to_string(), "a bad line");
        stream.read_to_end(&mut found).unwrap();
        assert!(found == bytes);
    }

    #[test]
    fn a_local_object_is_read_by_its_pieces() {
        let bytes = content(600_000);
        let mut found = Vec::new();
        let object: Arc<dyn Object> = Arc::new(bytes.clone());
        object_stream(object).unwrap().read_to_end(&mut found).unwrap();
        assert!(found == bytes);
    }
}
