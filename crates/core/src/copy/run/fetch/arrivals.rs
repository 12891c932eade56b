//! Fetching ahead: the input of a job is requested from a slow store before a thread takes the job.
//!
//! ```text
//! jobs, in order ─► admitted by the ledger ─► Reader::fetch_chunks, _ranges, _records ─┐  up to 100 under way
//!                                                                                      ▼
//!                                   threads ◄── the first job that can run ◄── Arrivals
//! ```
//!
//! The requested bytes of a job count as its working memory, once, from the moment of the request.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tracing::debug;

use super::block_jobs::{elements, pieces};
use super::job::{Job, PieceOfInput, Spilling, Terms, chunk_bytes};
use super::order::Block;
use super::prepare::Variable;
use super::route::Route;
use super::same_chunks::Same;
use super::tiling::Tiling;
use crate::error::{Error, Result};
use crate::format::{EncodedChunk, Reader, range_list::RangeList};
use crate::model::VarId;
use crate::store::ByteRange;

/// The chunks and ranges of the input that a job needs.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Wants {
    chunks: BTreeMap<usize, BTreeSet<u64>>,
    ranges: Vec<(VarId, ByteRange)>,
    records: Option<RecordPart>,
}

/// The same part of consecutive records.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecordPart {
    /// The first record.
    pub first: u64,
    /// Number of records.
    pub count: u64,
    /// The bytes of each record.
    pub part: Range<u64>,
}

impl Wants {
    /// The input of `job`, as far as it is known in advance.
    pub fn of(job: &Job, terms: &Terms) -> Result<Self> {
        let mut wants = Self::default();
        match job {
            Job::Raw { var, chunks } | Job::Refilter { var, chunks } => {
                if let Route::Raw(same) | Route::Refilter(same) = &var.route {
                    wants.same(var, same, chunks.clone());
                }
            }
            Job::Bytes { var, offset, length } => {
                let length =
                    usize::try_from(*length).map_err(|_| Error::Internal("a range too long".into()))?;
                wants.ranges.push((
                    var.input().var,
                    ByteRange {
                        offset: *offset,
                        length,
                    },
                ));
            }
            Job::Blocks { var, tiling, blocks } => {
                for block in blocks {
                    wants.block(terms, var, tiling, block)?;
                }
            }
            Job::Fill {
                var, pieces, spill, ..
            } => {
                if !matches!(spill, Spilling::Reads(_)) {
                    for piece in pieces {
                        wants.piece(terms, var, piece)?;
                    }
                }
            }
            Job::Records(part) => wants.records = Some(part.input()),
            // The thread that runs the job reads values itself, and emptying a block reads nothing.
            Job::Empty { .. } | Job::Values { .. } => {}
        }
        Ok(wants)
    }

    fn same(&mut self, var: &Variable, same: &Same, chunks: Range<u64>) {
        let order = same.order();
        for n in chunks {
            let Some(place) = var.places.place(n) else {
                continue;
            };
            if let Some((input, chunk)) = same.source(&var.inputs, same.chunk(&order, place)) {
                self.chunk(var.inputs[input].var, chunk);
            }
        }
    }

    fn block(&mut self, terms: &Terms, var: &Variable, tiling: &Tiling, block: &Block) -> Result<()> {
        let region = elements(&block.span, tiling.grid.chunk(), tiling.grid.extent());
        for piece in pieces(terms, var, &region, terms.batch()) {
            self.piece(terms, var, &piece)?;
        }
        Ok(())
    }

    fn piece(&mut self, terms: &Terms, var: &Variable, piece: &PieceOfInput) -> Result<()> {
        match piece {
            PieceOfInput::Chunks { input, chunks } => {
                for chunk in chunks {
                    self.chunk(var.inputs[*input].var, *chunk);
                }
            }
            PieceOfInput::Range { input, region } => {
                let input = &var.inputs[*input];
                if let Some(held) = input.input(region) {
                    let list = RangeList::new(terms.reader.layout(input.var), &held)?;
                    let ranges = list.ranges()?;
                    self.ranges
                        .extend(ranges.into_iter().map(|range| (input.var, range)));
                }
            }
        }
        Ok(())
    }

    fn chunk(&mut self, var: VarId, chunk: u64) {
        self.chunks.entry(var.0).or_default().insert(chunk);
    }

    /// About how many bytes will be fetched.
    pub fn bytes(&self, reader: &dyn Reader) -> u64 {
        let ranges = self.ranges.iter().map(|(_, range)| range.length as u64);
        let chunks = self.chunks.iter().flat_map(|(var, chunks)| {
            let var = VarId(*var);
            let whole = chunk_bytes(reader.layout(var));
            chunks
                .iter()
                .map(move |chunk| reader.stored_size(var, *chunk).unwrap_or(whole))
        });
        let records = self.records.iter().map(|records| {
            let each = records.part.end.saturating_sub(records.part.start);
            records.count.saturating_mul(each)
        });
        ranges.chain(chunks).chain(records).fold(0, u64::saturating_add)
    }
}

/// The input that was fetched for a job.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    chunks: HashMap<(VarId, u64), Option<EncodedChunk>>,
    ranges: HashMap<(VarId, ByteRange), Vec<u8>>,
    records: Option<Vec<u8>>,
}

impl Fetched {
    /// A chunk, if it was fetched: `Some(None)` for one that was never written.
    pub fn take_chunk(&mut self, var: VarId, chunk: u64) -> Option<Option<EncodedChunk>> {
        // Nothing is fetched of a local file: do not even hash.
        if self.chunks.is_empty() {
            return None;
        }
        self.chunks.remove(&(var, chunk))
    }

    /// The bytes of a range, if it was fetched.
    pub fn take_range(&mut self, var: VarId, range: ByteRange) -> Option<Vec<u8>> {
        if self.ranges.is_empty() {
            return None;
        }
        self.ranges.remove(&(var, range))
    }

    /// The bytes of records, if they were fetched.
    pub fn take_records(&mut self) -> Option<Vec<u8>> {
        self.records.take()
    }
}

/// The requested and the fetched input of jobs, by job number.
#[derive(Default)]
pub(super) struct Arrivals {
    state: Mutex<State>,
    changed: Condvar,
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
    pub(super) fn lock(&self) -> Arrived<'_> {
        Arrived {
            state: self.state.lock().unwrap_or_else(PoisonError::into_inner),
            changed: &self.changed,
        }
    }

    /// Requests the input of job `number`.
    pub fn ask(self: &Arc<Self>, number: u64, wants: Wants, reader: &dyn Reader) {
        if wants == Wants::default() {
            self.arrive(number, Ok(Fetched::default()));
            return;
        }
        // One request for each variable. A job needs ranges of one variable, or few.
        let mut by_var: BTreeMap<usize, Vec<ByteRange>> = BTreeMap::new();
        for (var, range) in wants.ranges {
            by_var.entry(var.0).or_default().push(range);
        }
        let left = wants.chunks.len() + by_var.len() + usize::from(wants.records.is_some());
        debug!(
            job = number,
            chunks = wants.chunks.values().map(BTreeSet::len).sum::<usize>(),
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
            let (var, chunks) = (VarId(var), chunks.into_iter().collect::<Vec<_>>());
            let (answer, asked) = (Answer::of(self, number), chunks.clone());
            let done = move |found: Result<Vec<Option<EncodedChunk>>>| {
                answer.give(found, |fetched, found| {
                    let named = asked.into_iter().map(|chunk| (var, chunk));
                    fetched.chunks.extend(named.zip(found));
                });
            };
            reader.fetch_chunks(var, chunks, Box::new(done));
        }
        for (var, ranges) in by_var {
            let var = VarId(var);
            let (answer, asked) = (Answer::of(self, number), ranges.clone());
            let done = move |found: Result<Vec<Vec<u8>>>| {
                answer.give(found, |fetched, found| {
                    let named = asked.into_iter().map(|range| (var, range));
                    fetched.ranges.extend(named.zip(found));
                });
            };
            reader.fetch_ranges(var, ranges, Box::new(done));
        }
        if let Some(RecordPart { first, count, part }) = wants.records {
            let answer = Answer::of(self, number);
            let done = move |found| answer.give(found, |fetched, found| fetched.records = Some(found));
            reader.fetch_records(first, count, part, Box::new(done));
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
pub(super) struct Closing<'a>(&'a Arrivals);

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
pub(super) struct Arrived<'a> {
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
