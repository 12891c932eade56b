//! Running a copy: all threads take jobs from one queue in the order of tickets.
//!
//! ```text
//!            ┌─► thread ─► execute ─┐
//! jobs ──────┼─► thread ─► execute ─┼──► Writer
//! (in order) └─► thread ─► execute ─┘
//!    ▲  admitted while the ledger has room      │
//!    └──────────────── completed ◄──────────────┘
//! ```
//!
//! For a local file, the thread that executes a job also reads its input. Over a slow store, fetching is a
//! separate stage: one thread admits jobs and requests their input ([`fetch`](super::fetch)), and the others
//! take jobs whose input has arrived.
//!
//! No thread waits for another, except in jobs that empty a block. They are queued after all jobs that fill
//! it, so those are already running.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use tracing::trace;

use super::block::Pool;
use super::execute::Worker;
use super::fetch::{Arrivals, Fetched, Wants};
use super::job::{Costed, Job, Spilling, Terms, jobs};
use super::ledger::Ledger;
use super::prepare::{Prepared, Variable};
use super::report::{Meters, Report};
use super::route::Route;
use super::sink::Sink;
use super::{Progress, default_budget};
use crate::error::{Error, Result};
use crate::format::read_region::check_padding;
use crate::format::{Reader, Writer};
use crate::threads::on_all;

/// Options of running a copy.
#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// Number of threads; `None` for as many as the system can run at once.
    pub threads: Option<usize>,
    /// Bytes of memory for data; `None` for [`default_budget`].
    pub memory: Option<u64>,
    /// The output's name, for errors about the output. Errors about the input have no name.
    pub output: Option<&'a OsStr>,
    /// The folder for temporary files, which a copy with little memory may need. `None` for `$TMPDIR`, or
    /// else `/var/tmp`.
    pub folder: Option<&'a Path>,
    /// Receives progress reports.
    pub progress: Option<&'a dyn Progress>,
}

impl RunOptions<'_> {
    /// Number of threads to use.
    pub(super) fn thread_count(&self) -> usize {
        self.threads
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
            .max(1)
    }
}

/// Bytes that a decoded chunk may take, however small the budget.
const LEAST_LIMIT: u64 = 64 << 20;

/// The writer may hold back at most `budget / WINDOW_SHARE` bytes of chunks that arrived before their turn. Past that, the
/// engine starts no new job.
const WINDOW_SHARE: u64 = 4;

/// Upper limit, in bytes, of what the writer may hold back, however large the budget.
const WINDOW: u64 = 64 << 20;

/// Copies the data of all variables from `reader` to `writer`, and finishes the writer. `prepared` must come
/// from [`prepare`](super::prepare) with the same reader, and `writer` must be created with its plans.
///
/// # Errors
/// The error of the first failed job, in the order of tickets. It names the variable and chunk. The writer is
/// then dropped unfinished.
pub fn run<'p>(
    reader: &dyn Reader,
    prepared: &'p Prepared,
    writer: Box<dyn Writer>,
    options: &RunOptions,
) -> Result<Report<'p>> {
    let begun = Instant::now();
    let report = run_jobs(reader, prepared, &*writer, options)?;
    writer.finish().map_err(|e| match options.output {
        Some(path) => e.in_file(path),
        None => e,
    })?;
    Ok(report.with_elapsed(begun.elapsed()))
}

/// Copies all data. Returns a report.
pub(super) fn run_jobs<'p>(
    reader: &dyn Reader,
    prepared: &'p Prepared,
    writer: &dyn Writer,
    options: &RunOptions,
) -> Result<Report<'p>> {
    let threads = options.thread_count();
    let budget = options.memory.unwrap_or_else(default_budget);
    check_paddings(reader, prepared, budget)?;
    let budget = for_jobs(reader, budget);
    if let Some(progress) = options.progress {
        let total = prepared
            .variables
            .iter()
            .fold(0u64, |n, v| n.saturating_add(v.progress));
        progress.start(total);
    }
    let terms = Terms {
        reader,
        plans: &prepared.plans,
        threads,
        budget,
        folder: options.folder,
    };
    let meters = Meters::new(prepared.plans.len());
    let engine = Engine {
        terms: &terms,
        sink: Sink {
            writer,
            path: options.output,
            meters: &meters,
        },
        progress: options.progress,
        ledger: Ledger::new(
            held_at_once(reader, prepared, budget),
            WINDOW.min(budget / WINDOW_SHARE),
        ),
        pool: Pool::default(),
        failure: Mutex::new(None),
    };
    let queue = Mutex::new(Queue {
        jobs: jobs(&terms, &prepared.variables),
        next: 0,
    });
    if reader.requests().ahead {
        let stage = FetchStage::default();
        on_all(threads + 1, |n, all| match n {
            // The system started only one thread, which also reads.
            0 if all == 1 => engine.work(&queue),
            0 => engine.fetch(&queue, &stage),
            _ => engine.work_on_arrivals(&stage),
        });
    } else {
        on_all(threads, |_, _| engine.work(&queue));
    }
    drop(queue);
    let failure = engine
        .failure
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match failure {
        Some((_, error)) => Err(error),
        None => {
            let peak = engine.ledger.peak();
            meters.ask(prepared, writer);
            Ok(Report::new(prepared, meters, peak))
        }
    }
}

/// Most bytes of jobs that only pass on what comes from a slow store. More would not come sooner, and takes memory that is
/// new to the processor's caches.
const MOST_PASSED_ON: u64 = 192 << 20;

/// Most bytes of the budget that are left to the requests of a slow store: buffers of connections, joined ranges before they
/// are divided, and what the allocator keeps of both.
const MOST_OF_REQUESTS: u64 = 64 << 20;

/// Bytes of the budget for jobs. Half of a small budget is left to the requests of a slow store.
fn for_jobs(reader: &dyn Reader, budget: u64) -> u64 {
    match reader.requests().ahead {
        true => budget - (budget / 2).min(MOST_OF_REQUESTS),
        false => budget,
    }
}

/// Bytes that jobs may hold together.
fn held_at_once(reader: &dyn Reader, prepared: &Prepared, budget: u64) -> u64 {
    let passes_on = |var: &Variable| match &var.route {
        Route::Raw(_) | Route::Ranges(_) | Route::Records(None) => true,
        Route::Records(Some(band)) => band.passes_on(),
        _ => false,
    };
    match reader.requests().ahead && prepared.variables.iter().all(passes_on) {
        true => budget.min(MOST_PASSED_ON),
        false => budget,
    }
}

/// Refuses chunks that would be decoded, are longer than their array, and do not fit the budget. Chunks that their array
/// fills are decoded whatever they take.
fn check_paddings(reader: &dyn Reader, prepared: &Prepared, budget: u64) -> Result<()> {
    for var in prepared
        .variables
        .iter()
        .filter(|var| !matches!(var.route, Route::Raw(_)))
    {
        for input in var.inputs.iter().filter(|input| input.grid.is_some()) {
            let layout = reader.layout(input.var);
            check_padding(layout, layout.stored_size(), budget.max(LEAST_LIMIT)).map_err(|e| {
                let path = reader.schema().var_path(input.var);
                e.in_variable(&path)
            })?;
        }
    }
    Ok(())
}

struct Queue<'e> {
    jobs: Box<dyn Iterator<Item = Costed<'e>> + Send + 'e>,
    next: u64,
}

/// State shared by the threads of a run.
pub(super) struct Engine<'e> {
    pub terms: &'e Terms<'e>,
    pub sink: Sink<'e>,
    pub progress: Option<&'e dyn Progress>,
    pub ledger: Ledger,
    pub pool: Pool,
    /// Number and error of the failed job that comes first in the order.
    failure: Mutex<Option<(u64, Error)>>,
}

impl<'e> Engine<'e> {
    /// Takes and executes jobs until none is left, or one has failed.
    fn work(&self, queue: &Mutex<Queue<'e>>) {
        let mut worker = Worker::default();
        while let Some((number, job, working, ())) = self.next_job(queue, |_| (0, ())) {
            self.execute(&mut worker, number, job, working, Fetched::default());
        }
    }

    fn execute(&self, worker: &mut Worker, number: u64, job: Job<'e>, working: u64, fetched: Fetched) {
        worker.turn_to(&job, self.terms.budget / (32 * self.terms.threads as u64));
        worker.fetched = fetched;
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| worker.execute(self, &job)));
        worker.count(self.sink.meters, &job, begun.elapsed());
        let result = result.unwrap_or_else(|panic| {
            *worker = Worker::default();
            Err(Error::Internal(panic_text(&*panic)).in_variable(job.variable()))
        });
        worker.fetched = Fetched::default();
        if let Job::Fill { block, .. } = &job {
            block.job_done(result.is_ok());
        }
        drop(job);
        if let Err(error) = result {
            self.fail(number, error);
        }
        self.ledger.complete(number, working, worker.kept);
    }

    /// The fetch stage: admits jobs in order, and requests their input.
    fn fetch(&self, queue: &Mutex<Queue<'e>>, stage: &FetchStage<'e>) {
        let _closing = stage.arrivals.closing();
        let wants = |job: &Job<'e>| {
            let wants = || {
                let wants = Wants::of(job, self.terms).ok()?;
                let bytes = match job.cost_counts_input() {
                    true => 0,
                    false => wants.bytes(self.terms.reader),
                };
                Some((bytes, wants))
            };
            // If this fails or panics, the job asks for nothing, and reports it when it runs.
            let wants = catch_unwind(AssertUnwindSafe(wants));
            wants.ok().flatten().unwrap_or_default()
        };
        while let Some((number, job, working, wants)) = self.next_job(queue, wants) {
            let variable = job.variable().to_owned();
            stage
                .jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(number, (job, working));
            let asked = catch_unwind(AssertUnwindSafe(|| {
                stage.arrivals.ask(number, wants, self.terms.reader);
            }));
            if let Err(panic) = asked {
                let error = Error::Internal(panic_text(&*panic));
                self.fail(number, error.in_variable(&variable));
            }
        }
    }

    /// The compute stage: takes the first job whose input has arrived, until all are done. After a failure, only
    /// the jobs before the failed one are still executed. One of them may fail too, and is then reported.
    fn work_on_arrivals(&self, stage: &FetchStage<'e>) {
        let mut worker = Worker::default();
        let mut arrived = stage.arrivals.lock();
        loop {
            let end = self.first_failure();
            if arrived.is_over() || end.is_some_and(|end| stage.is_empty_before(end)) {
                break;
            }
            let can_run = |number| end.is_none_or(|end| number < end) && stage.can_run(number);
            let Some((number, fetched)) = arrived.take(can_run) else {
                arrived = arrived.wait();
                continue;
            };
            drop(arrived);
            let job = stage
                .jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(&number);
            match (job, fetched) {
                (Some((job, working)), Ok(fetched)) => {
                    self.execute(&mut worker, number, job, working, fetched);
                }
                (Some((job, working)), Err(error)) => {
                    self.fail(number, error.in_variable(job.variable()));
                    self.ledger.complete(number, working, 0);
                }
                (None, _) => self.fail(number, Error::Internal("a job that was lost".into())),
            }
            // A block may have been filled, or the run stopped.
            stage.arrivals.wake();
            arrived = stage.arrivals.lock();
        }
        drop(arrived);
        stage.arrivals.wake();
    }

    /// Waits until the next job is admitted. `extra` returns bytes to add to the job's working memory, and a
    /// value. Returns the job's number, the job, its working memory in bytes, and the value.
    fn next_job<T>(
        &self,
        queue: &Mutex<Queue<'e>>,
        extra: impl FnOnce(&Job<'e>) -> (u64, T),
    ) -> Option<(u64, Job<'e>, u64, T)> {
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ledger.is_stopped() {
            return None;
        }
        let number = queue.next;
        let next = catch_unwind(AssertUnwindSafe(|| queue.jobs.next()))
            .unwrap_or_else(|panic| Some(Err(Error::Internal(panic_text(&*panic)))));
        let (job, mut cost) = match next? {
            Ok(job) => job,
            Err(error) => {
                self.fail(number, error);
                return None;
            }
        };
        let (more, value) = extra(&job);
        cost.working = cost.working.saturating_add(more);
        let shed = || match cost.block {
            0 => self.pool.clear(),
            block => self.pool.claim(block),
        };
        if cost.block > 0 {
            self.ledger.release(shed());
        }
        if !self.ledger.admit(cost, shed) {
            return None;
        }
        trace!(
            number,
            variable = job.variable(),
            working = cost.working,
            block = cost.block,
            "admitted"
        );
        queue.next += 1;
        Some((number, job, cost.working, value))
    }

    /// Records the failure that comes first in the order, and admits no new job. All jobs before the failed one
    /// were admitted, and they complete. So the recorded failure does not depend on how threads run.
    fn fail(&self, number: u64, error: Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|(first, _)| number < *first) {
            *failure = Some((number, error));
        }
        drop(failure);
        self.ledger.stop();
    }

    /// Number of the failed job that comes first in the order.
    fn first_failure(&self) -> Option<u64> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map(|(number, _)| *number)
    }
}

/// The admitted jobs that no thread has taken, by number, and the input that is requested for them.
#[derive(Default)]
struct FetchStage<'e> {
    jobs: Mutex<BTreeMap<u64, (Job<'e>, u64)>>,
    arrivals: Arc<Arrivals>,
}

impl FetchStage<'_> {
    /// True if no job before `end` waits for its input or for a thread.
    fn is_empty_before(&self, end: u64) -> bool {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.first_key_value().is_none_or(|(first, _)| *first >= end)
    }

    /// True if a job whose input has arrived need not wait for other jobs. The jobs that fill a block come
    /// before those that empty it, but their input may arrive later.
    fn can_run(&self, number: u64) -> bool {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        match jobs.get(&number) {
            Some((Job::Empty { block, .. }, _)) => block.is_filled(),
            Some((
                Job::Fill {
                    spill: Spilling::Reads(spill),
                    ..
                },
                _,
            )) => spill.is_written(),
            _ => true,
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("panic")
        .to_owned()
}
