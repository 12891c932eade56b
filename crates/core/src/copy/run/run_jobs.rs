//! Runs the jobs of a copy on all threads.

use std::sync::{Mutex, PoisonError};

use super::buffer_pool::BufferPool;
use super::context::Context;
use super::meters::Meters;
use super::options::RunOptions;
use super::scheduler::{FetchStage, Scheduler};
use super::sink::Sink;
use crate::copy::jobs::{Terms, chunk_bytes, jobs};
use crate::copy::memory::{MemoryBudget, decode_limit, default_budget};
use crate::copy::plan::Prepared;
use crate::copy::readers::Readers;
use crate::copy::task::{Route, Variable};
use crate::error::Result;
use crate::filter::DecodeMemory;
use crate::format::{Reader, Writer};
use crate::threads::on_all;

/// The writer may hold back at most `budget / WINDOW_SHARE` bytes of chunks that arrived before their turn. Past that, the
/// engine starts no new job.
const WINDOW_SHARE: u64 = 4;

/// Upper limit, in bytes, of what the writer may hold back, however large the budget.
const WINDOW: u64 = 64 << 20;

/// What a run counted.
#[derive(Debug)]
pub struct Totals {
    /// Bytes and time of each variable.
    pub meters: Meters,
    /// Most bytes of memory that jobs held at one time.
    pub peak: u64,
}

/// Copies all data. The writer is not finished.
///
/// # Errors
/// The error of the first failed job, in the order of sequence numbers.
pub fn run_jobs(
    readers: Readers,
    prepared: &Prepared,
    writer: &dyn Writer,
    options: &RunOptions,
) -> Result<Totals> {
    let meters = Meters::new(prepared.plans.len());
    let peak = run_some(readers, prepared, &prepared.variables, writer, &meters, options)?;
    meters.ask(prepared, writer);
    Ok(Totals { meters, peak })
}

/// Copies the data of some of the variables. Returns the most bytes of memory that jobs held at one time.
///
/// # Errors
/// Those of [`run_jobs`].
pub fn run_some(
    readers: Readers,
    prepared: &Prepared,
    variables: &[Variable],
    writer: &dyn Writer,
    meters: &Meters,
    options: &RunOptions,
) -> Result<u64> {
    let threads = options.thread_count();
    let budget = options.memory.unwrap_or_else(default_budget);
    check_chunks(&readers, variables, options.memory)?;
    let budget = for_jobs(readers.main(), budget);
    if let Some(progress) = options.progress {
        let total = variables.iter().fold(0u64, |n, v| n.saturating_add(v.progress));
        progress.start(total);
    }
    let terms = Terms {
        readers,
        plans: &prepared.plans,
        threads,
        budget,
        folder: options.folder,
    };
    let context = Context {
        terms: &terms,
        sink: Sink {
            writer,
            path: options.output,
            meters,
        },
        progress: options.progress,
        untested: options.untested,
        memory: MemoryBudget::new(
            held_at_once(readers.main(), variables, budget),
            WINDOW.min(budget / WINDOW_SHARE),
        ),
        pool: BufferPool::default(),
        failure: Mutex::new(None),
    };
    let scheduler = Scheduler::new(&context, jobs(&terms, variables));
    if readers.main().requests().ahead {
        let stage = FetchStage::default();
        on_all(threads + 1, |n, all| match n {
            // The system started only one thread, which also reads.
            0 if all == 1 => scheduler.work(),
            0 => scheduler.fetch(&stage),
            _ => scheduler.work_on_arrivals(&stage),
        });
    } else {
        on_all(threads, |_, _| scheduler.work());
    }
    drop(scheduler);
    let failure = context
        .failure
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match failure {
        Some((_, error)) => Err(error),
        None => Ok(context.memory.peak()),
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
fn held_at_once(reader: &dyn Reader, variables: &[Variable], budget: u64) -> u64 {
    let passes_on = |var: &Variable| match &var.route {
        Route::Raw(_) | Route::Ranges(_) | Route::Records(None) => true,
        Route::Records(Some(band)) => band.passes_on(),
        _ => false,
    };
    match reader.requests().ahead && variables.iter().all(passes_on) {
        true => budget.min(MOST_PASSED_ON),
        false => budget,
    }
}

/// Refuses a copy that would decode chunks for which a run of this budget may not take memory.
fn check_chunks(readers: &Readers, variables: &[Variable], memory: Option<u64>) -> Result<()> {
    let allowed = DecodeMemory::new(usize::try_from(decode_limit(memory)).unwrap_or(usize::MAX));
    for var in variables {
        for input in var.inputs.iter().filter(|input| input.grid.is_some()) {
            let layout = input.layout(readers);
            if matches!(var.route, Route::Raw(_)) || layout.filters.is_empty() {
                continue;
            }
            let size = usize::try_from(chunk_bytes(layout)).unwrap_or(usize::MAX);
            allowed
                .check(size)
                .map_err(|e| match readers.get(input.id().reader) {
                    Ok(reader) => e.in_variable(&reader.schema().var_path(input.var)),
                    Err(_) => e,
                })?;
        }
    }
    Ok(())
}
