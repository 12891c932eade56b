//! Many ranges of a file in Zstandard's seekable format at once.
//!
//! ```text
//! ranges ─► frames, each once ─► batches ─► Object::fetch, which joins neighbours ─► decoded ─► copied into the ranges
//! ```
//!
//! A short range needs a whole frame. Batches follow each other, so that many short ranges do not hold many frames at once.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::requests::fetch_pool::allocate;
use crate::requests::requests::{ByteRange, Done, FailedRequest};
use crate::zst::seekable_zst::{SeekableZst, copy_part};

/// Most bytes of stored frames in a batch, unless a single frame has more.
const BATCH: u64 = 8 << 20;

/// Ranges of the content that are being read.
pub(crate) struct Fetch {
    file: Arc<SeekableZst>,
    ranges: Vec<ByteRange>,
    found: Vec<Vec<u8>>,
    /// The frames that are not read yet, and the ranges that need them.
    frames: BTreeMap<usize, Vec<usize>>,
}

impl Fetch {
    /// Finds the frames of ranges.
    ///
    /// # Errors
    /// `UnexpectedEof` for a range past the end, with the range's position.
    pub(crate) fn new(file: Arc<SeekableZst>, ranges: Vec<ByteRange>) -> io::Result<Self> {
        let mut frames: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (position, range) in ranges.iter().enumerate() {
            let needed = file.frames_of(range.offset, range.length);
            for number in needed.map_err(|error| FailedRequest::error(position, error))? {
                frames.entry(number).or_default().push(position);
            }
        }
        Ok(Self {
            file,
            found: ranges.iter().map(|_| Vec::new()).collect(),
            ranges,
            frames,
        })
    }

    /// Reads the next batch, and those after it.
    pub(crate) fn go_on(mut self, done: Done<io::Result<Vec<Vec<u8>>>>) {
        let mut batch: Vec<(usize, Vec<usize>)> = Vec::new();
        let (mut stored, mut wanted, mut longest) = (0, 0u64, 0);
        while let Some((number, positions)) = self.frames.pop_first() {
            if let Some(frame) = self.file.kept(number) {
                if let Err(error) = self.put(number, &positions, &frame) {
                    return done(Err(error));
                }
                continue;
            }
            let length = self.file.stored(number).length as u64;
            if !batch.is_empty() && stored + length > BATCH {
                self.frames.insert(number, positions);
                break;
            }
            stored += length;
            wanted += self.wanted(number, &positions);
            longest = longest.max(self.file.places[number + 1].1 - self.file.places[number].1);
            batch.push((number, positions));
        }
        if batch.is_empty() {
            return done(Ok(self.found));
        }
        // One frame at a time is decoded.
        let extra = longest + stored.saturating_sub(wanted);
        let queue = Arc::clone(&self.file.queue);
        queue.begin(extra, move |admitted| {
            let source = Arc::clone(&self.file.source);
            let places = batch
                .iter()
                .map(|(number, _)| self.file.stored(*number))
                .collect();
            let arrived = move |read: io::Result<Vec<Vec<u8>>>| {
                let decoded = self.decode(&batch, read);
                drop(batch);
                drop(admitted);
                match decoded {
                    Ok(()) => self.go_on(done),
                    Err(error) => done(Err(error)),
                }
            };
            source.fetch(places, Box::new(arrived));
        });
    }

    /// Bytes of a frame's content that ranges want. Bytes of several ranges count several times.
    fn wanted(&self, number: usize, positions: &[usize]) -> u64 {
        let (start, end) = (self.file.places[number].1, self.file.places[number + 1].1);
        let meets = |position: &usize| {
            let range = &self.ranges[*position];
            let last = range.offset + range.length as u64;
            last.min(end).saturating_sub(range.offset.max(start))
        };
        positions.iter().map(meets).sum()
    }

    fn decode(&mut self, batch: &[(usize, Vec<usize>)], read: io::Result<Vec<Vec<u8>>>) -> io::Result<()> {
        let first = |n: usize| batch.get(n).and_then(|(_, positions)| positions.first());
        let read = read.map_err(|error| match FailedRequest::split(error) {
            (Some(n), cause) => FailedRequest::error(first(n).copied().unwrap_or(0), cause),
            (None, cause) => cause,
        })?;
        for (n, ((number, positions), stored)) in batch.iter().zip(read).enumerate() {
            let frame = self.file.decoded(*number, &stored);
            drop(stored);
            let frame = frame.map_err(|e| FailedRequest::error(first(n).copied().unwrap_or(0), e))?;
            self.put(*number, positions, &frame)?;
        }
        Ok(())
    }

    /// Copies a frame into the ranges that need it.
    ///
    /// # Errors
    /// `OutOfMemory`, with the range's position.
    fn put(&mut self, number: usize, positions: &[usize], frame: &[u8]) -> io::Result<()> {
        let start = self.file.places[number].1;
        for position in positions {
            let (range, found) = (&self.ranges[*position], &mut self.found[*position]);
            if found.is_empty() {
                *found = allocate(range.length).map_err(|e| FailedRequest::error(*position, e))?;
            }
            copy_part(frame, start, range.offset, found);
        }
        Ok(())
    }
}
