//! The requested and the fetched input of jobs.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use tracing::debug;

use super::fetched::Fetched;
use super::wants::Wants;
use crate::copy::geometry::InputVariable;
use crate::copy::jobs::RecordPart;
use crate::copy::readers::{ReaderId, Readers};
use crate::error::{Error, Result};
use crate::format::{EncodedChunk, PooledReader, Reader};
use crate::store::{ByteRange, FetchPool};

/// The requested and the fetched input of jobs, by job number.
#[derive(Default)]
pub struct Arrivals {
    state: Mutex<State>,
    changed: Condvar,
    /// Threads that open further readers, once one is closed.
    opening: OnceLock<FetchPool>,
}

#[derive(Default)]
struct State {
    coming: HashMap<u64, Coming>,
    there: BTreeMap<u64, Result<Fetched>>,
    /// True if no more jobs will come.
    closed: bool,
}

struct Coming {
    left: usize,
    fetched: Fetched,
}

impl Arrivals {
    pub fn lock(&self) -> Arrived<'_> {
        Arrived {
            state: self.state.lock().unwrap_or_else(PoisonError::into_inner),
            changed: &self.changed,
        }
    }

    /// Requests the input of job `number`.
    pub fn ask(self: &Arc<Self>, number: u64, wants: Wants, readers: &Readers) {
        if wants == Wants::default() {
            self.arrive(number, Ok(Fetched::default()));
            return;
        }
        // One request for each variable. A job needs ranges of one variable, or few.
        let mut by_var: BTreeMap<InputVariable, Vec<ByteRange>> = BTreeMap::new();
        for (var, range) in wants.ranges {
            by_var.entry(var).or_default().push(range);
        }
        let of_readers = wants.chunks.len() + by_var.len() + wants.places.len();
        let left = of_readers + usize::from(wants.records.is_some());
        debug!(
            job = number,
            chunks = wants
                .chunks
                .values()
                .map(|chunks| chunks.numbers.len())
                .sum::<usize>(),
            ranges = by_var.values().map(Vec::len).sum::<usize>(),
            records = wants.records.as_ref().map_or(0, |records| records.count),
            "asked ahead"
        );
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .coming
            .insert(
                number,
                Coming {
                    left,
                    fetched: Fetched::default(),
                },
            );
        for (var, chunks) in wants.chunks {
            let chunks = chunks.numbers.into_iter().collect::<Vec<_>>();
            self.by_reader(number, var.reader, readers, move |answer, reader, open| {
                let asked = chunks.clone();
                let done = move |found: Result<Vec<Option<EncodedChunk>>>| {
                    answer.give(found, |fetched, found| {
                        let named = asked.into_iter().map(|chunk| (var, chunk));
                        fetched.chunks.extend(named.zip(found));
                    });
                    drop(open);
                };
                reader.fetch_chunks(var.var, chunks, Box::new(done));
            });
        }
        for (var, ranges) in by_var {
            self.by_reader(number, var.reader, readers, move |answer, reader, open| {
                let asked = ranges.clone();
                let done = move |found: Result<Vec<Vec<u8>>>| {
                    answer.give(found, |fetched, found| {
                        let named = asked.into_iter().map(|range| (var, range));
                        fetched.ranges.extend(named.zip(found));
                    });
                    drop(open);
                };
                reader.fetch_ranges(var.var, ranges, Box::new(done));
            });
        }
        for (var, chunks) in wants.places {
            self.by_reader(number, var.reader, readers, move |answer, reader, _open| {
                let places = chunks.into_iter().map(|chunk| {
                    let place = reader.place_of_chunk(var.var, chunk);
                    ((var, chunk), place)
                });
                let places: Vec<_> = places.collect();
                answer.give(Ok(places), |fetched, places| fetched.places.extend(places));
            });
        }
        if let Some(RecordPart { first, count, part }) = wants.records {
            let answer = Answer::of(self, number);
            let done = move |found| answer.give(found, |fetched, found| fetched.records = Some(found));
            readers.main().fetch_records(first, count, part, Box::new(done));
        }
    }

    /// Asks a reader for a part of job `number`'s input. If the reader cannot be opened, the job fails. Closed readers are opened on threads
    /// of `opening`, because opening makes requests. `ask` gets a further reader once more, to keep it open.
    fn by_reader(
        self: &Arc<Self>,
        number: u64,
        id: ReaderId,
        readers: &Readers,
        ask: impl FnOnce(Answer, &dyn Reader, Option<PooledReader>) + Send + 'static,
    ) {
        let answer = Answer::of(self, number);
        let (further, pool) = match (id, readers.pool()) {
            (ReaderId::Further(further), Some(pool)) => (further, pool.clone()),
            _ => {
                return match readers.get(id) {
                    Ok(reader) => ask(answer, &*reader, None),
                    Err(error) => answer.fail(error),
                };
            }
        };
        let ask = move |opened: Result<PooledReader>| match opened {
            Ok(reader) => ask(answer, &**reader, Some(reader.clone())),
            Err(error) => answer.fail(error),
        };
        match pool.get_open(further) {
            Some(reader) => ask(Ok(reader)),
            None => {
                let most = readers.main().requests().in_flight;
                let opening = self.opening.get_or_init(|| FetchPool::new(most));
                opening.run(move || ask(pool.get(further)));
            }
        }
    }

    /// Adds a part of the input of job `number`. An error is the job's, and its other parts are dropped.
    fn part<T>(&self, number: u64, found: Result<T>, add: impl FnOnce(&mut Fetched, T)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(coming) = state.coming.get_mut(&number) else {
            // Another request for this job failed.
            return;
        };
        let failure = match found {
            Ok(found) => {
                add(&mut coming.fetched, found);
                coming.left -= 1;
                None
            }
            Err(error) => Some(error),
        };
        if (failure.is_some() || coming.left == 0)
            && let Some(coming) = state.coming.remove(&number)
        {
            state
                .there
                .insert(number, failure.map_or(Ok(coming.fetched), Err));
            drop(state);
            self.changed.notify_all();
        }
    }

    fn arrive(&self, number: u64, fetched: Result<Fetched>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.there.insert(number, fetched);
        drop(state);
        self.changed.notify_all();
    }

    /// Marks the end when the result is dropped, also by a panic: no more jobs will come.
    pub fn closing(&self) -> Closing<'_> {
        Closing(self)
    }

    /// Wakes all waiting threads, because a job may be able to run now.
    pub fn wake(&self) {
        // The lock ensures that a thread which is about to wait does not miss this.
        drop(self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

/// Closes the arrivals when it is dropped.
pub struct Closing<'a>(&'a Arrivals);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let Self(arrivals) = self;
        arrivals
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .closed = true;
        arrivals.changed.notify_all();
    }
}

/// The answer to a request for a part of a job's input. If a reader drops it without giving it, the job fails.
/// Otherwise the copy would wait for ever.
struct Answer {
    arrivals: Option<Arc<Arrivals>>,
    number: u64,
}

impl Answer {
    fn of(arrivals: &Arc<Arrivals>, number: u64) -> Self {
        Self {
            arrivals: Some(Arc::clone(arrivals)),
            number,
        }
    }

    /// Fails the job.
    fn fail(self, error: Error) {
        self.give(Err::<(), _>(error), |_, ()| {});
    }

    fn give<T>(mut self, found: Result<T>, add: impl FnOnce(&mut Fetched, T)) {
        if let Some(arrivals) = self.arrivals.take() {
            arrivals.part(self.number, found, add);
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(arrivals) = self.arrivals.take() {
            let error = Error::Internal("a request for input ended without an answer".into());
            arrivals.part(self.number, Err::<(), _>(error), |_, ()| {});
        }
    }
}

/// The fetched input of jobs, locked.
pub struct Arrived<'a> {
    state: MutexGuard<'a, State>,
    changed: &'a Condvar,
}

impl Arrived<'_> {
    /// Takes the first job whose input was fetched and for which `can_run` is true.
    pub fn take(&mut self, can_run: impl Fn(u64) -> bool) -> Option<(u64, Result<Fetched>)> {
        let number = self.state.there.keys().copied().find(|number| can_run(*number))?;
        self.state.there.remove(&number).map(|fetched| (number, fetched))
    }

    /// True if no input is left, and none will come.
    pub fn is_over(&self) -> bool {
        self.state.closed && self.state.coming.is_empty() && self.state.there.is_empty()
    }

    /// Waits until something changes.
    pub fn wait(self) -> Self {
        let Self { state, changed } = self;
        Self {
            state: changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            changed,
        }
    }
}
