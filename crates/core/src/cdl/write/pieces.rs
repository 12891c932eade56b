//! Reads a variable band by band and makes text of it piece by piece, on all cores; hands the pieces on in order.
//!
//! ```text
//! bands ─► read ─► values ─┬─► piece ─► format ─┐
//!          (any thread)    ├─► piece ─► format ─┼─► in order ─► emit (the caller's thread)
//!                          └─► piece ─► format ─┘
//! ```
//!
//! Threads format what is earliest, and read on only where nothing waits to be formatted. The bytes of bands in memory are
//! bounded, and so is the number of pieces ahead of the one that is emitted.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::Result;
use crate::format::Region;
use crate::model::Values;

/// Elements of a piece, at most, and bytes of their values, about.
const PIECE_ELEMENTS: usize = 1 << 15;
const PIECE_BYTES: usize = 1 << 18;

/// Bytes of bands in memory, where there is more than one.
const BANDS_BYTES: usize = 32 << 20;

/// Below this many elements threads cost more than they bring.
const FEW_ELEMENTS: u64 = 1 << 12;

/// Calls `emit` with what `format` makes of all elements of `bands`, of `size` bytes each, in order.
///
/// # Errors
/// The first, in the order of elements, that `read` or `emit` gives; everything before it was emitted.
pub fn in_order<T: Send>(
    bands: impl Iterator<Item = Region> + Send,
    size: usize,
    read: impl Fn(&Region) -> Result<Values> + Sync,
    format: impl Fn(&Region, &Values, Range<usize>) -> T + Sync,
    mut emit: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let step = (PIECE_BYTES / size.max(1)).clamp(1, PIECE_ELEMENTS);
    let mut bands = bands.peekable();
    let few = |region: &Region| region.element_count().is_some_and(|n| n < FEW_ELEMENTS);
    while threads == 1 || bands.peek().is_some_and(few) {
        let Some(region) = bands.next() else {
            return Ok(());
        };
        let values = read(&region)?;
        for range in ranges(&region, step) {
            emit(format(&region, &values, range))?;
        }
    }
    if bands.peek().is_none() {
        return Ok(());
    }
    let line = Line {
        state: Mutex::new(State {
            bands,
            band_bytes: 0,
            reading: 0,
            numbered: 0,
            waiting: BTreeMap::new(),
            done: BTreeMap::new(),
            emitted: 0,
            stopped: false,
        }),
        changed: Condvar::new(),
        window: 2 * threads as u64 + 2,
        size,
        step,
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| line.work(&read, &format));
        }
        let _stop = Stop(&line);
        line.emit(&mut emit)
    })
}

/// The pieces of a band.
fn ranges(region: &Region, step: usize) -> impl Iterator<Item = Range<usize>> {
    let count = region.element_count().unwrap_or(0) as usize;
    (0..count)
        .step_by(step)
        .map(move |start| start..(start + step).min(count))
}

/// What the threads share.
struct Line<I: Iterator<Item = Region>, T> {
    state: Mutex<State<I, T>>,
    changed: Condvar,
    /// How many pieces may be ahead of the one that is emitted next.
    window: u64,
    size: usize,
    step: usize,
}

struct State<I: Iterator<Item = Region>, T> {
    bands: Peekable<I>,
    band_bytes: usize,
    /// Bands that are being read.
    reading: usize,
    /// How many pieces have numbers.
    numbered: u64,
    waiting: BTreeMap<u64, Waiting>,
    done: BTreeMap<u64, Result<T>>,
    emitted: u64,
    stopped: bool,
}

struct Band {
    region: Region,
    values: Values,
    bytes: usize,
}

struct Waiting {
    band: Arc<Band>,
    range: Range<usize>,
}

enum Task {
    Format(u64, Waiting),
    /// A band, its bytes, and the number of its first piece.
    Read(Region, usize, u64),
}

/// Stops all threads, also where one of them panics.
struct Stop<'a, I: Iterator<Item = Region>, T>(&'a Line<I, T>);

impl<I: Iterator<Item = Region>, T> Drop for Stop<'_, I, T> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_all();
    }
}

impl<I: Iterator<Item = Region>, T> Line<I, T> {
    fn lock(&self) -> MutexGuard<'_, State<I, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<I, T>>) -> MutexGuard<'a, State<I, T>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for something to do; `None` where nothing will come.
    fn task(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(next) = state.waiting.first_entry()
                && *next.key() < state.emitted + self.window
            {
                let (number, waiting) = state.waiting.pop_first()?;
                return Some(Task::Format(number, waiting));
            }
            let count = state
                .bands
                .peek()
                .map(|region| region.element_count().unwrap_or(0) as usize);
            let idle = state.waiting.is_empty() && state.reading == 0;
            match count {
                Some(count) => {
                    let bytes = count.saturating_mul(self.size);
                    if state.band_bytes == 0 || state.band_bytes + bytes <= BANDS_BYTES {
                        let region = state.bands.next()?;
                        let number = state.numbered;
                        state.band_bytes += bytes;
                        state.reading += 1;
                        state.numbered += count.div_ceil(self.step) as u64;
                        return Some(Task::Read(region, bytes, number));
                    }
                }
                None if idle => return None,
                None => {}
            }
            state = self.wait(state);
        }
    }

    fn work(
        &self,
        read: &impl Fn(&Region) -> Result<Values>,
        format: &impl Fn(&Region, &Values, Range<usize>) -> T,
    ) {
        let stop = Stop(self);
        while let Some(task) = self.task() {
            match task {
                Task::Format(number, Waiting { band, range }) => {
                    let piece = format(&band.region, &band.values, range);
                    let mut state = self.lock();
                    state.done.insert(number, Ok(piece));
                    // Who drops the last piece of a band, with the lock held, gives its memory back.
                    if let Some(band) = Arc::into_inner(band) {
                        state.band_bytes -= band.bytes;
                    }
                }
                Task::Read(region, bytes, first) => {
                    let values = read(&region);
                    let mut state = self.lock();
                    state.reading -= 1;
                    match values {
                        Ok(values) => {
                            let ranges = ranges(&region, self.step).zip(first..);
                            let band = Arc::new(Band {
                                region: region.clone(),
                                values,
                                bytes,
                            });
                            for (range, number) in ranges {
                                let band = band.clone();
                                state.waiting.insert(number, Waiting { band, range });
                            }
                        }
                        Err(error) => {
                            state.done.insert(first, Err(error));
                        }
                    }
                }
            }
            self.changed.notify_all();
        }
        // Having nothing to do does not stop the others.
        if !thread::panicking() {
            std::mem::forget(stop);
        }
    }

    fn emit(&self, emit: &mut impl FnMut(T) -> Result<()>) -> Result<()> {
        let mut state = self.lock();
        loop {
            let next = state.emitted;
            if let Some(piece) = state.done.remove(&next) {
                drop(state);
                emit(piece?)?;
                state = self.lock();
                state.emitted += 1;
                self.changed.notify_all();
                continue;
            }
            let finished = state.bands.peek().is_none() && state.emitted == state.numbered;
            if finished || state.stopped {
                return Ok(());
            }
            state = self.wait(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn bands(count: u64, length: u64) -> impl Iterator<Item = Region> + Send {
        (0..count).map(move |n| Region {
            start: vec![n * length],
            count: vec![length],
        })
    }

    fn read(region: &Region) -> Result<Values> {
        let first = region.start[0] as u32;
        let all = first..first + region.count[0] as u32;
        Ok(Values::from_bytes(all.flat_map(u32::to_le_bytes).collect()))
    }

    fn format(_: &Region, values: &Values, range: Range<usize>) -> Vec<u8> {
        values.bytes[range.start * 4..range.end * 4].to_vec()
    }

    #[test]
    fn pieces_come_in_order() {
        for (count, length) in [(1, 10), (3, 100_000), (500, 5_000), (2000, 3)] {
            let mut next = 0;
            in_order(bands(count, length), 4, read, format, |piece| {
                for value in piece.chunks_exact(4) {
                    assert_eq!(u32::from_le_bytes(value.try_into().unwrap()), next);
                    next += 1;
                }
                Ok(())
            })
            .unwrap();
            assert_eq!(u64::from(next), count * length);
        }
    }

    #[test]
    fn what_comes_before_an_error_is_emitted() {
        let fails = |region: &Region| {
            if region.start[0] >= 300_000 {
                return Err(Error::Damaged("here".into()));
            }
            read(region)
        };
        let mut emitted = 0;
        let error = in_order(bands(10, 100_000), 4, fails, format, |piece| {
            emitted += piece.len() / 4;
            Ok(())
        });
        assert!(matches!(error, Err(Error::Damaged(_))));
        assert_eq!(emitted, 300_000);
    }

    #[test]
    fn it_ends_where_nobody_listens() {
        let mut emitted = 0;
        let error = in_order(bands(1000, 100_000), 4, read, format, |_| {
            emitted += 1;
            if emitted == 5 {
                return Err(Error::Damaged("enough".into()));
            }
            Ok(())
        });
        assert!(error.is_err());
        assert_eq!(emitted, 5);
    }

    #[test]
    #[should_panic]
    fn a_panic_is_passed_on() {
        let panics = |region: &Region, _: &Values, _: Range<usize>| {
            assert!(region.start[0] < 100_000, "expected");
        };
        let _ = in_order(bands(10, 50_000), 4, read, panics, |()| Ok(()));
    }
}
