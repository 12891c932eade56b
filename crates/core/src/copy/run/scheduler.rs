//! Running a copy: all threads take jobs from one queue in sequence order.
//!
//! ```text
//!            ┌─► thread ─► execute ─┐
//! jobs ──────┼─► thread ─► execute ─┼──► Writer
//! (in order) └─► thread ─► execute ─┘
//!    ▲  admitted while the budget has room      │
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
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tracing::trace;

use super::context::Context;
use super::fetch::{Arrivals, Fetched, Wants};
use super::worker::Worker;
use crate::copy::jobs::{Job, Jobs, Spilling};
use crate::error::Error;

/// The jobs of a run, which threads take one by one.
pub struct Scheduler<'c, 'e> {
    context: &'c Context<'e>,
    queue: Mutex<Queue<'e>>,
}

struct Queue<'e> {
    jobs: Jobs<'e>,
    next: u64,
}

impl<'c, 'e> Scheduler<'c, 'e> {
    /// Makes threads take `jobs`, which share `context`.
    pub fn new(context: &'c Context<'e>, jobs: Jobs<'e>) -> Self {
        Self {
            context,
            queue: Mutex::new(Queue { jobs, next: 0 }),
        }
    }

    /// Takes and executes jobs until none is left, or one has failed.
    pub fn work(&self) {
        let mut worker = Worker::default();
        while let Some((number, job, working, ())) = self.next_job(|_| (0, ())) {
            self.execute(&mut worker, number, job, working, Fetched::default());
        }
    }

    fn execute(&self, worker: &mut Worker, number: u64, job: Job<'e>, working: u64, fetched: Fetched) {
        worker.turn_to(
            &job,
            self.context.terms.budget / (32 * self.context.terms.threads as u64),
        );
        worker.fetched = fetched;
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| worker.execute(self.context, &job)));
        worker.count(self.context.sink.meters, &job, begun.elapsed());
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
            self.context.fail(number, error);
        }
        self.context.memory.complete(number, working, worker.kept);
    }

    /// The fetch stage: admits jobs in order, and requests their input.
    pub fn fetch(&self, stage: &FetchStage<'e>) {
        let _closing = stage.arrivals.closing();
        let wants = |job: &Job<'e>| {
            let wants = || {
                let wants = Wants::of(job, self.context.terms).ok()?;
                let bytes = match job.cost_counts_input() {
                    true => 0,
                    false => wants.bytes(&self.context.terms.readers),
                };
                Some((bytes, wants))
            };
            // If this fails or panics, the job asks for nothing, and reports it when it runs.
            let wants = catch_unwind(AssertUnwindSafe(wants));
            wants.ok().flatten().unwrap_or_default()
        };
        while let Some((number, job, working, wants)) = self.next_job(wants) {
            let variable = job.variable().to_owned();
            stage
                .jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(number, (job, working));
            let asked = catch_unwind(AssertUnwindSafe(|| {
                stage.arrivals.ask(number, wants, &self.context.terms.readers);
            }));
            if let Err(panic) = asked {
                let error = Error::Internal(panic_text(&*panic));
                self.context.fail(number, error.in_variable(&variable));
            }
        }
    }

    /// The compute stage: takes the first job whose input has arrived, until all are done. After a failure, only
    /// the jobs before the failed one are still executed. One of them may fail too, and is then reported.
    pub fn work_on_arrivals(&self, stage: &FetchStage<'e>) {
        let mut worker = Worker::default();
        let mut arrived = stage.arrivals.lock();
        loop {
            let end = self.context.first_failure();
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
                    self.context.fail(number, error.in_variable(job.variable()));
                    self.context.memory.complete(number, working, 0);
                }
                (None, _) => self
                    .context
                    .fail(number, Error::Internal("a job that was lost".into())),
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
    fn next_job<T>(&self, extra: impl FnOnce(&Job<'e>) -> (u64, T)) -> Option<(u64, Job<'e>, u64, T)> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if self.context.memory.is_stopped() {
            return None;
        }
        let number = queue.next;
        let next = catch_unwind(AssertUnwindSafe(|| queue.jobs.next()))
            .unwrap_or_else(|panic| Some(Err(Error::Internal(panic_text(&*panic)))));
        let (job, mut cost) = match next? {
            Ok(job) => job,
            Err(error) => {
                self.context.fail(number, error);
                return None;
            }
        };
        let (more, value) = extra(&job);
        cost.working = cost.working.saturating_add(more);
        let shed = || match cost.block {
            0 => self.context.pool.clear(),
            block => self.context.pool.claim(block),
        };
        if cost.block > 0 {
            self.context.memory.release(shed());
        }
        if !self.context.memory.admit(cost, shed) {
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
}

/// The admitted jobs that no thread has taken, by number, and the input that is requested for them.
#[derive(Default)]
pub struct FetchStage<'e> {
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
