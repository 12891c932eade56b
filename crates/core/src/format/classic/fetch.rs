//! Ranges of variables of a slow object: the pieces of many records at once.
//!
//! ```text
//! ranges ─► pieces, one a record ─► spans of near pieces ─► batches ─► Object::fetch ─► copied into the ranges
//! ```
//!
//! Batches follow each other, so that a range of a million short records does not make a million requests at once. Pieces are
//! found again when their bytes have come: a list of them would be larger than the bytes of short records.

use std::io;
use std::sync::Arc;

use super::header::variable_position::{Geometry, VariablePosition};
use crate::store::{Admitted, ByteRange, Done, FailedRequest, FetchQueue, Object, allocate};

/// Upper limit, in bytes, of a span of several pieces.
const SPAN: u64 = 1 << 20;

/// Largest gap, in bytes, between two pieces of a span. Many requests are under way at once, so a gap costs more than one of
/// them if it is longer, also where the pieces are much shorter. Denser pieces are joined by the object.
const MAX_GAP: u64 = 8 << 10;

/// Most bytes between pieces that one batch reads.
const MOST_BETWEEN: u64 = 8 << 20;

/// Most spans of a batch, for each request that the object serves at once.
const ROUNDS: usize = 8;

/// About how many bytes of memory a request takes besides its answer.
const REQUEST: u64 = 4 << 10;

/// Ranges of one variable that are being read.
pub(super) struct Fetch {
    source: Arc<dyn Object>,
    queue: Arc<FetchQueue>,
    geometry: Geometry,
    place: VariablePosition,
    ranges: Vec<ByteRange>,
    found: Vec<Vec<u8>>,
    /// The first piece that is not in a batch.
    next: Position,
}

/// A byte of the ranges: the number of a range, and a byte in it.
type Position = (usize, usize);

/// A part of a range that is contiguous in the object.
struct RangeExtent {
    range: usize,
    /// The first byte in the range.
    from: usize,
    length: usize,
    at: u64,
}

/// Pieces that are read together.
struct Batch {
    spans: Vec<ByteRange>,
    /// The first piece, and the one behind the last.
    pieces: (Position, Position),
    /// Bytes of the pieces.
    wanted: u64,
}

impl Batch {
    /// Bytes that are held for a while and are no part of a range.
    fn extra(&self) -> u64 {
        let read: u64 = self.spans.iter().map(|span| span.length as u64).sum();
        read.saturating_sub(self.wanted) + self.spans.len() as u64 * REQUEST
    }
}

/// Puts pieces into spans, in their order.
#[derive(Default)]
struct Spans {
    count: usize,
    last: Option<ByteRange>,
}

impl Spans {
    /// The gap before a piece, and the last span with it; `None` if the piece begins another one.
    fn joined(&self, piece: &RangeExtent) -> Option<(u64, ByteRange)> {
        let ByteRange { offset, length } = self.last?;
        let gap = piece.at.checked_sub(offset + length as u64)?;
        let length = piece.at + piece.length as u64 - offset;
        let span = ByteRange {
            offset,
            length: length as usize,
        };
        (gap <= MAX_GAP && length <= SPAN).then_some((gap, span))
    }

    /// Adds a piece. Returns the number of its span.
    fn add(&mut self, piece: &RangeExtent) -> usize {
        match self.joined(piece) {
            Some((_, span)) => self.last = Some(span),
            None => {
                self.count += 1;
                self.last = Some(ByteRange {
                    offset: piece.at,
                    length: piece.length,
                });
            }
        }
        self.count - 1
    }
}

impl Fetch {
    /// Reads ranges of the variable at `place`, which the object has, and passes them to `done` in the same order.
    ///
    /// # Errors
    /// `done` receives the error if a range cannot be read, with the range's position.
    pub(super) fn begin(
        source: &Arc<dyn Object>,
        queue: &Arc<FetchQueue>,
        (geometry, place): (Geometry, VariablePosition),
        ranges: Vec<ByteRange>,
        done: Done<io::Result<Vec<Vec<u8>>>>,
    ) {
        let fetch = Self {
            source: Arc::clone(source),
            queue: Arc::clone(queue),
            geometry,
            place,
            found: ranges.iter().map(|_| Vec::new()).collect(),
            ranges,
            next: (0, 0),
        };
        fetch.go_on(done);
    }

    /// Reads the next batch, and those after it.
    fn go_on(mut self, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let batch = self.batch();
        if batch.spans.is_empty() {
            return done(Ok(self.found));
        }
        let queue = Arc::clone(&self.queue);
        queue.begin(batch.extra(), move |admitted: Admitted| {
            let source = Arc::clone(&self.source);
            let spans = batch.spans.clone();
            let arrived = move |read: io::Result<Vec<Vec<u8>>>| {
                let put = self.put(&batch, read);
                drop(batch);
                drop(admitted);
                match put {
                    Ok(()) => self.go_on(done),
                    Err(error) => done(Err(error)),
                }
            };
            source.fetch(spans, Box::new(arrived));
        });
    }

    /// The piece at a position; `None` at the end.
    fn piece(&self, (mut range, mut from): Position) -> Option<RangeExtent> {
        loop {
            let wanted = self.ranges.get(range)?;
            if from < wanted.length {
                let left = (wanted.length - from) as u64;
                let piece = self
                    .geometry
                    .piece(&self.place, wanted.offset + from as u64, left);
                let piece = RangeExtent {
                    range,
                    from,
                    length: piece.length as usize,
                    at: piece.at,
                };
                return Some(piece).filter(|piece| piece.length > 0);
            }
            (range, from) = (range + 1, 0);
        }
    }

    /// Takes the pieces of the next batch.
    fn batch(&mut self) -> Batch {
        let first = self.next;
        let mut list: Vec<ByteRange> = Vec::new();
        let mut spans = Spans::default();
        let most = self.source.requests().in_flight.saturating_mul(ROUNDS);
        let (mut between, mut wanted) = (0, 0);
        while let Some(piece) = self.piece(self.next) {
            match spans.joined(&piece) {
                Some((gap, _)) => between += gap,
                None if list.len() >= most || between >= MOST_BETWEEN => break,
                None => {}
            }
            let number = spans.add(&piece);
            list.truncate(number);
            list.extend(spans.last);
            wanted += piece.length as u64;
            self.next = (piece.range, piece.from + piece.length);
        }
        Batch {
            spans: list,
            pieces: (first, self.next),
            wanted,
        }
    }

    /// Copies the pieces of a batch into their ranges. Each span is freed once its last piece is copied.
    fn put(&mut self, batch: &Batch, read: io::Result<Vec<Vec<u8>>>) -> io::Result<()> {
        let read = read.map_err(|error| match FailedRequest::split(error) {
            (Some(n), cause) => FailedRequest::error(self.first_range(batch, n), cause),
            (None, cause) => cause,
        })?;
        let lengths = batch.spans.iter().map(|span| span.length);
        if !read.iter().map(Vec::len).eq(lengths) {
            return Err(io::Error::other("a store gave an answer of another length"));
        }
        let mut read = read.into_iter();
        let (mut spans, mut bytes) = (Spans::default(), Vec::new());
        let (mut at, end) = batch.pieces;
        while at != end
            && let Some(piece) = self.piece(at)
        {
            let before = spans.count;
            let span = batch.spans[spans.add(&piece)];
            if spans.count > before {
                bytes = read.next().unwrap_or_default();
            }
            at = (piece.range, piece.from + piece.length);
            let wanted = self.ranges[piece.range].length;
            let into = &mut self.found[piece.range];
            if piece.length == wanted && bytes.len() == wanted {
                *into = std::mem::take(&mut bytes);
                continue;
            }
            if into.is_empty() {
                *into = allocate(wanted)?;
            }
            let within = (piece.at - span.offset) as usize;
            into[piece.from..piece.from + piece.length]
                .copy_from_slice(&bytes[within..within + piece.length]);
        }
        Ok(())
    }

    /// The range of the first piece of a span.
    fn first_range(&self, batch: &Batch, span: usize) -> usize {
        let mut spans = Spans::default();
        let (mut at, end) = batch.pieces;
        while at != end
            && let Some(piece) = self.piece(at)
        {
            if spans.add(&piece) >= span {
                return piece.range;
            }
            at = (piece.range, piece.from + piece.length);
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc;

    use ncutils_gate::Gate;

    use super::*;
    use crate::store::{FetchPool, Requests};

    /// An object that keeps the ranges that were read, and counts how many are read at once.
    struct Slow {
        bytes: Vec<u8>,
        pool: FetchPool,
        asked: Mutex<Vec<(u64, usize)>>,
        gate: Gate,
    }

    impl Object for Slow {
        fn size(&self) -> io::Result<Option<u64>> {
            Ok(Some(self.bytes.len() as u64))
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            self.gate.pass(|| {
                self.asked.lock().unwrap().push((offset, buf.len()));
                self.bytes.read_exact_at(offset, buf)
            })
        }

        fn requests(&self) -> Requests {
            Requests::slow(16, 100)
        }

        fn fetch(self: Arc<Self>, ranges: Vec<ByteRange>, done: Done<io::Result<Vec<Vec<u8>>>>) {
            let this = Arc::clone(&self) as Arc<dyn Object>;
            self.pool.fetch_ranges(&this, ranges, done);
        }
    }

    /// Reads ranges of a variable whose slab begins 16 bytes into each record. Returns the requests.
    fn fetched(geometry: (u64, u64, u64), ranges: &[(u64, usize)]) -> Vec<(u64, usize)> {
        fetched_at_once(1, geometry, ranges).0
    }

    /// The same. The first requests wait until `wanted` are under way. Returns the most of them at once, too.
    fn fetched_at_once(
        wanted: usize,
        (records, record_size, slab): (u64, u64, u64),
        ranges: &[(u64, usize)],
    ) -> (Vec<(u64, usize)>, usize) {
        let geometry = Geometry {
            records,
            record_size,
            record_variables: 2,
        };
        let place = VariablePosition {
            begin: 16,
            slab,
            record: true,
        };
        let bytes: Vec<u8> = (0..records * record_size + 16)
            .map(|n| ((n * 13) >> 3) as u8)
            .collect();
        let slow = Arc::new(Slow {
            bytes: bytes.clone(),
            pool: FetchPool::new(16),
            asked: Mutex::default(),
            gate: Gate::default(),
        });
        slow.gate.hold_until(wanted);
        let ranges: Vec<_> = ranges
            .iter()
            .map(|(offset, length)| ByteRange {
                offset: *offset,
                length: *length,
            })
            .collect();
        let (tell, told) = mpsc::channel();
        let done = Box::new(move |found: io::Result<Vec<Vec<u8>>>| tell.send(found).unwrap());
        let source = slow.clone() as Arc<dyn Object>;
        Fetch::begin(&source, &Arc::default(), (geometry, place), ranges.clone(), done);
        let found = told.recv().unwrap().unwrap();
        for (range, found) in ranges.iter().zip(found) {
            let byte = |n: u64| bytes[(16 + n / slab * record_size + n % slab) as usize];
            let expected: Vec<u8> = (range.offset..range.end().unwrap()).map(byte).collect();
            assert!(found == expected, "{range:?}");
        }
        let mut asked = std::mem::take(&mut *slow.asked.lock().unwrap());
        asked.sort_unstable();
        (asked, slow.gate.most())
    }

    #[test]
    fn records_far_apart_are_read_at_once() {
        let (asked, most) = fetched_at_once(10, (40, 100_000, 8), &[(0, 320)]);
        assert_eq!(asked.len(), 40);
        assert!(asked.iter().all(|(_, length)| *length == 8));
        assert!(most >= 10, "{most}");
        // Pieces of records, and ranges that begin and end within one.
        let asked = fetched(
            (10, 30_000, 9_000),
            &[(4_000, 20_000), (80_000, 0), (89_000, 1_000)],
        );
        assert_eq!(
            asked,
            [(4_016, 5_000), (30_016, 9_000), (60_016, 6_000), (278_016, 1_000)]
        );
    }

    #[test]
    fn records_near_each_other_are_read_together() {
        // 3 MB of short records: spans of at most 1 MiB.
        let (asked, most) = fetched_at_once(3, (1_000, 3_000, 4), &[(0, 4_000)]);
        assert!((3..=4).contains(&asked.len()), "{asked:?}");
        assert!(asked.iter().all(|(_, length)| *length <= SPAN as usize));
        assert!(most >= 3, "{most}");
        // One element of each record.
        let each: Vec<(u64, usize)> = (0..100).map(|n| (n * 400 + 8, 4)).collect();
        assert_eq!(fetched((100, 2_000, 400), &each), [(24, 99 * 2_000 + 4)]);
    }

    #[test]
    fn batches_bound_what_is_read_besides() {
        // 40 MB, of which 40 KB are wanted.
        let (asked, most) =
            fetched_at_once((MOST_BETWEEN / SPAN) as usize, (10_000, 4_000, 4), &[(0, 40_000)]);
        assert!((38..=50).contains(&asked.len()), "{}", asked.len());
        assert!(most <= 1 + (MOST_BETWEEN / SPAN) as usize, "{most}");
        // The same range again, and one that goes back.
        fetched((40, 1_000, 8), &[(0, 80), (0, 80), (40, 8), (40, 8), (8, 64)]);
        fetched(
            (10, 30_000, 9_000),
            &[(0, 9_000), (0, 9_000), (0, 18_000), (9_000, 9_000)],
        );
        // More pieces than one batch has.
        let asked = fetched((300, 20_000, 4), &[(0, 1_200)]);
        assert_eq!(asked.len(), 300);
    }
}
