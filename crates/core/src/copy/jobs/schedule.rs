//! The work of a copy as one sequence of jobs, each made when a thread asks for it.

use super::block_jobs::{blocks, shared_block_memory};
use super::chunk_jobs::{ranges, raw, refilter};
use super::job::Jobs;
use super::record_jobs::records;
use super::terms::Terms;
use super::value_jobs::values;
use crate::copy::memory::JobMemory;
use crate::copy::task::{Route, Variable};

/// All jobs of a run, in order.
pub fn jobs<'e>(terms: &'e Terms<'e>, variables: &'e [Variable]) -> Jobs<'e> {
    Box::new(
        variables
            .iter()
            .flat_map(move |var| of_variable(terms, variables, var)),
    )
}

fn of_variable<'e>(terms: &'e Terms<'e>, variables: &'e [Variable], var: &'e Variable) -> Jobs<'e> {
    let to = &terms.plans[var.out.0].layout;
    match &var.route {
        Route::Raw(same) => Box::new(raw(terms, var, same)),
        Route::Refilter(_) => Box::new(refilter(terms, var, to)),
        Route::Ranges(range) => Box::new(ranges(terms, var, range)),
        Route::Blocks(tiling) => blocks(terms, var, tiling, to),
        Route::Values(tiling) => Box::new(values(terms, var, tiling, to)),
        Route::Records(Some(band)) => records(terms, variables, band),
        Route::Records(None) => Box::new(std::iter::empty()),
    }
}

/// About how many bytes of memory the jobs of a variable take that run at the same time.
pub fn memory(terms: &Terms, variables: &[Variable], var: &Variable) -> u64 {
    let to = &terms.plans[var.out.0].layout;
    if let Route::Blocks(tiling) = &var.route
        && let Some(memory) = shared_block_memory(terms, var, tiling, to)
    {
        return memory;
    }
    let jobs = of_variable(terms, variables, var).take(terms.threads);
    together(jobs.filter_map(|job| Some(job.ok()?.1)), terms.budget)
}

/// Bytes of memory that jobs with these `costs` take together: at most the budget, unless a single job needs
/// more.
fn together(costs: impl Iterator<Item = JobMemory>, budget: u64) -> u64 {
    let (mut all, mut largest) = (0u64, 0);
    for cost in costs {
        let one = cost.working.saturating_add(cost.block);
        all = all.saturating_add(one);
        largest = largest.max(one);
    }
    all.min(budget).max(largest)
}
