//! Reads a variable band by band, formats it piece by piece on all cores, and emits the pieces in order.
//!
//! ```text
//! bands ─► read ─► values ─┬─► piece ─► Format ─┐
//!          (any thread)    ├─► piece ─► Format ─┼─► in order ─► emit (the caller's thread)
//!                          └─► piece ─► Format ─┘
//! ```
//!
//! Threads format the earliest piece first, and read the next band only if nothing waits to be formatted. Over a slow
//! store, more threads only read, so that many requests are under way. The
//! bytes of bands in memory are bounded, and so is the number of pieces formatted ahead.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::format::Format;
use crate::error::Result;
use crate::format::Region;
use crate::model::Values;
use crate::threads::{self, beside};

/// Most elements of a piece.
const PIECE_ELEMENTS: usize = 1 << 15;
/// About the most bytes of values in a piece.
const PIECE_BYTES: usize = 1 << 18;

/// Most bytes of bands in memory, unless a single band is larger.
const BANDS_BYTES: usize = 32 << 20;

/// With fewer elements than this, threads cost more than they save.
const FEW_ELEMENTS: u64 = 1 << 12;

/// Consecutive elements in C order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Band {
    /// Elements to be read.
    Read(Region),
    /// Start and number of elements along the last dimension that are known to be zeros.
    Zeros(Vec<u64>, u64),
}

impl Band {
    /// Number of elements to be read.
    fn count(&self) -> u64 {
        match self {
            Self::Read(region) => region.element_count().unwrap_or(0),
            Self::Zeros(..) => 0,
        }
    }
}

/// Calls `emit` with the text of all elements of `bands`, in order. An element has `size` bytes. `readers` threads only
/// read, beside those that read and format.
///
/// # Errors
/// The first error of `read` or `emit`, in the order of elements. Everything before it was emitted.
pub fn in_order<F: Format>(
    bands: impl Iterator<Item = Band> + Send,
    size: usize,
    readers: usize,
    read: impl Fn(&Region) -> Result<Values> + Sync,
    format: &F,
    mut emit: impl FnMut(F::Piece) -> Result<()>,
) -> Result<()> {
    let threads = threads::count();
    let step = (PIECE_BYTES / size.max(1)).clamp(1, PIECE_ELEMENTS);
    let mut bands = bands.peekable();
    let few = |band: &Band| band.count() < FEW_ELEMENTS;
    while threads == 1 && readers == 0 || bands.peek().is_some_and(few) {
        match bands.next() {
            None => return Ok(()),
            Some(band) => alone(band, step, &read, format, &mut emit)?,
        }
    }
    if bands.peek().is_none() {
        return Ok(());
    }
    let line = PieceQueue {
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
    let work = |n| match n < threads {
        true => line.work(&read, format, Work::Any),
        false => line.work(&read, format, Work::Reads),
    };
    beside(threads + readers, work, |started| {
        let _stop = Stop(&line);
        match started {
            0 => line
                .lock()
                .bands
                .by_ref()
                .try_for_each(|band| alone(band, step, &read, format, &mut emit)),
            _ => line.emit(&mut emit),
        }
    })
}

/// Emits all elements of a band.
fn alone<F: Format>(
    band: Band,
    step: usize,
    read: &impl Fn(&Region) -> Result<Values>,
    format: &F,
    emit: &mut impl FnMut(F::Piece) -> Result<()>,
) -> Result<()> {
    match band {
        Band::Zeros(start, count) => emit(format.zeros(&start, count)),
        Band::Read(region) => {
            let values = read(&region)?;
            ranges(&region, step).try_for_each(|range| emit(format.piece(&region, &values, range)))
        }
    }
}

/// The element ranges of a band's pieces.
fn ranges(region: &Region, step: usize) -> impl Iterator<Item = Range<usize>> {
    let count = region.element_count().unwrap_or(0) as usize;
    (0..count)
        .step_by(step)
        .map(move |start| start..(start + step).min(count))
}

/// State shared by the threads.
struct PieceQueue<I: Iterator<Item = Band>, T> {
    state: Mutex<State<I, T>>,
    changed: Condvar,
    /// Number of pieces that may be ahead of the next one to emit.
    window: u64,
    size: usize,
    step: usize,
}

struct State<I: Iterator<Item = Band>, T> {
    bands: Peekable<I>,
    band_bytes: usize,
    /// Number of bands that are being read.
    reading: usize,
    /// Number of pieces that have numbers.
    numbered: u64,
    waiting: BTreeMap<u64, Waiting>,
    done: BTreeMap<u64, Result<T>>,
    emitted: u64,
    stopped: bool,
}

struct InMemory {
    region: Region,
    values: Values,
    bytes: usize,
}

struct Waiting {
    band: Arc<InMemory>,
    range: Range<usize>,
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Any,
    /// It reads bands, and waits for the store most of the time.
    Reads,
}

enum Task {
    Format(u64, Waiting),
    /// A region, its size in bytes, and the number of its first piece.
    Read(Region, usize, u64),
    /// The number of a piece, its first element, and its number of elements.
    Zeros(u64, Vec<u64>, u64),
}

/// Stops all threads when dropped, also if a thread panics.
struct Stop<'a, I: Iterator<Item = Band>, T>(&'a PieceQueue<I, T>);

impl<I: Iterator<Item = Band>, T> Drop for Stop<'_, I, T> {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_all();
    }
}

impl<I: Iterator<Item = Band>, T> PieceQueue<I, T> {
    fn lock(&self) -> MutexGuard<'_, State<I, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<I, T>>) -> MutexGuard<'a, State<I, T>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next task; `None` if there will be none.
    fn task(&self, work: Work) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            if work == Work::Any
                && let Some(next) = state.waiting.first_entry()
                && *next.key() < state.emitted + self.window
            {
                let (number, waiting) = state.waiting.pop_first()?;
                return Some(Task::Format(number, waiting));
            }
            let idle = state.waiting.is_empty() && state.reading == 0;
            let number = state.numbered;
            let is_near = number < state.emitted + self.window;
            match state.bands.peek() {
                Some(Band::Read(region)) => {
                    let count = region.element_count().unwrap_or(0) as usize;
                    let bytes = count.saturating_mul(self.size);
                    if state.band_bytes == 0 || state.band_bytes + bytes <= BANDS_BYTES {
                        state.band_bytes += bytes;
                        state.reading += 1;
                        state.numbered += count.div_ceil(self.step) as u64;
                        if let Some(Band::Read(region)) = state.bands.next() {
                            return Some(Task::Read(region, bytes, number));
                        }
                    }
                }
                // Zeros take almost no memory, but there may be any number of them.
                Some(Band::Zeros(..)) if is_near && work == Work::Any => {
                    state.numbered += 1;
                    if let Some(Band::Zeros(start, count)) = state.bands.next() {
                        return Some(Task::Zeros(number, start, count));
                    }
                }
                Some(Band::Zeros(..)) => {}
                None if idle || work == Work::Reads => return None,
                None => {}
            }
            state = self.wait(state);
        }
    }

    fn work<F: Format<Piece = T>>(&self, read: &impl Fn(&Region) -> Result<Values>, format: &F, work: Work) {
        let stop = Stop(self);
        while let Some(task) = self.task(work) {
            match task {
                Task::Format(number, Waiting { band, range }) => {
                    let piece = format.piece(&band.region, &band.values, range);
                    let mut state = self.lock();
                    state.done.insert(number, Ok(piece));
                    // The thread that drops the last piece of a band, while it holds the lock, gives back the
                    // band's memory.
                    if let Some(band) = Arc::into_inner(band) {
                        state.band_bytes -= band.bytes;
                    }
                }
                Task::Zeros(number, start, count) => {
                    let piece = format.zeros(&start, count);
                    self.lock().done.insert(number, Ok(piece));
                }
                Task::Read(region, bytes, first) => {
                    let values = read(&region);
                    let mut state = self.lock();
                    state.reading -= 1;
                    match values {
                        Ok(values) => {
                            let ranges = ranges(&region, self.step).zip(first..);
                            let band = Arc::new(InMemory {
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
        // A thread that runs out of work does not stop the others.
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
    use ncutils_gate::Gate;

    use super::*;
    use crate::error::Error;

    fn bands(count: u64, length: u64) -> impl Iterator<Item = Band> + Send {
        (0..count).map(move |n| {
            Band::Read(Region {
                start: vec![n * length],
                count: vec![length],
            })
        })
    }

    fn read(region: &Region) -> Result<Values> {
        let first = region.start[0] as u32;
        let all = first..first + region.count[0] as u32;
        Ok(Values::from_bytes(all.flat_map(u32::to_le_bytes).collect()))
    }

    /// Formats bytes as they are.
    struct Bytes;

    impl Format for Bytes {
        type Piece = Vec<u8>;

        fn piece(&self, _: &Region, values: &Values, range: Range<usize>) -> Vec<u8> {
            values.bytes[range.start * 4..range.end * 4].to_vec()
        }

        fn passes_over_zeros(&self) -> bool {
            true
        }

        fn zeros(&self, start: &[u64], count: u64) -> Vec<u8> {
            let all = start[0] as u32..(start[0] + count) as u32;
            all.flat_map(u32::to_le_bytes).collect()
        }
    }

    #[test]
    fn pieces_come_in_order() {
        for (count, length) in [(1, 10), (3, 100_000), (500, 5_000), (2000, 3)] {
            let mut next = 0;
            in_order(bands(count, length), 4, 0, read, &Bytes, |piece| {
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
    fn threads_that_only_read_have_many_bands_under_way() {
        let gate = Gate::default();
        gate.hold_until(10);
        let slow = |region: &Region| gate.pass(|| read(region));
        let mut next = 0;
        in_order(bands(60, 10_000), 4, 12, slow, &Bytes, |piece| {
            for value in piece.chunks_exact(4) {
                assert_eq!(u32::from_le_bytes(value.try_into().unwrap()), next);
                next += 1;
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(next, 600_000);
        assert!(gate.most() >= 10);
        // Bands hold no more than their limit, whoever reads them.
        gate.hold_until(BANDS_BYTES / (8 << 20));
        let large = |region: &Region| gate.pass(|| read(region));
        in_order(bands(9, 2 << 20), 4, 12, large, &Bytes, |_| Ok(())).unwrap();
        assert!(gate.most() <= BANDS_BYTES / (8 << 20));
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
        let error = in_order(bands(10, 100_000), 4, 0, fails, &Bytes, |piece| {
            emitted += piece.len() / 4;
            Ok(())
        });
        assert!(matches!(error, Err(Error::Damaged(_))));
        assert_eq!(emitted, 300_000);
    }

    #[test]
    fn it_ends_where_nobody_listens() {
        let mut emitted = 0;
        let error = in_order(bands(1000, 100_000), 4, 0, read, &Bytes, |_| {
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
    fn zeros_come_in_their_place() {
        let bands = bands(400, 5_000).enumerate().map(|(n, band)| match band {
            Band::Read(region) if n % 3 > 0 => Band::Zeros(region.start, region.count[0]),
            band => band,
        });
        let mut next = 0;
        in_order(bands, 4, 0, read, &Bytes, |piece| {
            for value in piece.chunks_exact(4) {
                assert_eq!(u32::from_le_bytes(value.try_into().unwrap()), next);
                next += 1;
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(next, 400 * 5_000);
    }

    /// Checks that no piece is formatted too far ahead.
    struct Panics;

    impl Format for Panics {
        type Piece = ();

        fn piece(&self, region: &Region, _: &Values, _: Range<usize>) {
            assert!(region.start[0] < 100_000, "expected");
        }

        fn passes_over_zeros(&self) -> bool {
            false
        }

        fn zeros(&self, _: &[u64], _: u64) {}
    }

    #[test]
    #[should_panic]
    fn a_panic_is_passed_on() {
        let _ = in_order(bands(10, 50_000), 4, 0, read, &Panics, |()| Ok(()));
    }
}
