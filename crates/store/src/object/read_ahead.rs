//! A slow object that is mostly read front to back.
//!
//! ```text
//! read at or a little behind the end of the last one ─► pieces that were requested ahead
//! any other read                                     ─► the object
//! ```

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::object::pieces_ahead::PiecesAhead;
use crate::{ByteRange, Done, Object, ObjectState, Requests};

/// Bytes of consecutive reads before more is requested ahead.
const LEAST: u64 = 256 << 10;

/// Reads elsewhere after which nothing more is requested ahead.
const MISSES: u32 = 4;

/// Upper limit, in bytes, of what is requested ahead.
const AHEAD: u64 = 32 << 20;

/// Wraps a slow object, so that reads in order are served from pieces that were requested before. A local object is returned as
/// it is. Uses at most a quarter of `memory` bytes, and at most 32 MiB. Also returns the bytes of `memory` that remain.
pub fn read_ahead(object: &Arc<dyn Object>, memory: u64) -> (Arc<dyn Object>, u64) {
    match (object.requests().ahead, object.size()) {
        (true, Ok(Some(size))) => {
            let ahead = (memory / 4).min(AHEAD);
            let object = ReadAhead {
                object: Arc::clone(object),
                size,
                ahead,
                state: Mutex::default(),
            };
            (Arc::new(object), memory - ahead)
        }
        _ => (Arc::clone(object), memory),
    }
}

struct ReadAhead {
    object: Arc<dyn Object>,
    size: u64,
    ahead: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Where the last read ended.
    end: u64,
    /// Bytes that were read one after another.
    consecutive: u64,
    run: Option<ReadAheadRun>,
    /// Reads that the run did not have.
    misses: u32,
}

/// Pieces that come after each other.
struct ReadAheadRun {
    pieces: PiecesAhead,
    /// A piece, and its position.
    piece: Vec<u8>,
    at: u64,
}

impl ReadAheadRun {
    /// True if a byte is in the current piece or under way. Threads that read in order may swap places.
    fn has(&self, offset: u64) -> bool {
        self.at <= offset && offset <= self.pieces.requested()
    }

    /// Fills `buf` from byte `offset` on, which the current piece or a later one has.
    fn read(&mut self, mut offset: u64, mut buf: &mut [u8]) -> io::Result<()> {
        while !buf.is_empty() {
            let from = (offset - self.at) as usize;
            let there = self.piece.get(from..).unwrap_or_default();
            if there.is_empty() {
                self.piece = Vec::new();
                self.at = self.pieces.position();
                self.piece = self.pieces.next_piece()?.ok_or(io::ErrorKind::UnexpectedEof)?;
                continue;
            }
            let count = there.len().min(buf.len());
            let (now, rest) = buf.split_at_mut(count);
            now.copy_from_slice(&there[..count]);
            (offset, buf) = (offset + count as u64, rest);
        }
        Ok(())
    }
}

impl Object for ReadAhead {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.size))
    }

    fn state(&self) -> io::Result<ObjectState> {
        self.object.state()
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.object.check_unchanged()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let length = buf.len() as u64;
        let end = offset.checked_add(length).filter(|end| *end <= self.size);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.consecutive = match offset == state.end {
            true => state.consecutive + length,
            false => length,
        };
        state.end = end;
        if let Some(run) = &state.run {
            if run.has(offset) {
                state.misses = 0;
            } else if state.misses < MISSES {
                state.misses += 1;
                drop(state);
                return self.object.read_exact_at(offset, buf);
            } else {
                state.run = None;
            }
        }
        if state.run.is_none() && state.consecutive >= LEAST && state.consecutive > length {
            state.run = Some(ReadAheadRun {
                pieces: PiecesAhead::new(Arc::clone(&self.object), offset, self.size, self.ahead),
                piece: Vec::new(),
                at: offset,
            });
        }
        let Some(run) = &mut state.run else {
            drop(state);
            return self.object.read_exact_at(offset, buf);
        };
        let read = run.read(offset, buf);
        if read.is_err() {
            state.run = None;
        }
        read
    }

    fn read_suffix(&self, length: usize) -> io::Result<Vec<u8>> {
        self.object.read_suffix(length)
    }

    fn requests(&self) -> Requests {
        Requests {
            ahead: false,
            ..self.object.requests()
        }
    }

    fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
        Arc::clone(&self.object).fetch(ranges, done);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts reads and fetches.
    #[derive(Default)]
    struct Counted {
        bytes: Vec<u8>,
        reads: AtomicUsize,
        fetches: AtomicUsize,
    }

    impl Object for Counted {
        fn size(&self) -> io::Result<Option<u64>> {
            self.bytes.size()
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.reads.fetch_add(1, Ordering::Relaxed);
            self.bytes.read_exact_at(offset, buf)
        }

        fn requests(&self) -> Requests {
            Requests::slow(16, 0)
        }

        fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
            self.fetches.fetch_add(1, Ordering::Relaxed);
            Arc::new(self.bytes.clone()).fetch(ranges, done);
        }
    }

    #[test]
    fn reads_in_order_are_served_from_pieces_and_others_are_not() {
        let bytes: Vec<u8> = (0..3_000_000u32).map(|n| ((n * 31) >> 4) as u8).collect();
        let counted = Arc::new(Counted {
            bytes: bytes.clone(),
            ..Counted::default()
        });
        let local = Arc::new(bytes.clone()) as Arc<dyn Object>;
        assert_eq!(read_ahead(&local, 1 << 20).1, 1 << 20);
        let slow = counted.clone() as Arc<dyn Object>;
        assert_eq!(read_ahead(&slow, 1 << 20).1, 3 << 18);
        let (object, left) = read_ahead(&slow, 1 << 30);
        assert_eq!(left, (1 << 30) - AHEAD);
        let read = |at: usize, length: usize| {
            let mut found = vec![0; length];
            object.read_exact_at(at as u64, &mut found).unwrap();
            assert!(found == bytes[at..at + length], "{at}");
        };
        let counts = || {
            (
                counted.reads.swap(0, Ordering::Relaxed),
                counted.fetches.swap(0, Ordering::Relaxed),
            )
        };
        for at in [0, 2_000_000, 1_000_000, 5] {
            read(at, 300_000);
        }
        assert_eq!(counts(), (4, 0));
        for at in (300_005..2_950_000).step_by(50_000) {
            read(at, 50_000);
        }
        let (reads, fetches) = counts();
        assert_eq!(reads, 0);
        assert!(fetches <= 2_700_000 / (1 << 20) + 2, "{fetches}");
        // Reads elsewhere end the run.
        for _ in 0..=MISSES {
            read(100, 9);
        }
        read(2_950_000, 50_000);
        assert_eq!(counts(), (MISSES as usize + 2, 0));
        let past = object.read_exact_at(2_999_999, &mut [0; 2]).unwrap_err();
        assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
    }
}
