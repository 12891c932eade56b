//! Benchmarks of jobs: one dataset, made by several processes.
//!
//! `processes` compares them with one process. `dask` compares the module on a cluster of Dask with xarray and rechunker.
//! `scaling` counts what 64 workers gain on a store 20 ms away.

mod dask;
mod processes;
mod scaling;
mod tools;

use anyhow::{Result, ensure};

pub use tools::Tools;

/// The groups, in their order.
const GROUPS: [&str; 3] = ["processes", "dask", "scaling"];

/// Measures all groups, or the one that `only` names.
///
/// # Errors
/// A program fails, or no group has this name.
pub fn run(tools: &Tools, only: Option<&str>) -> Result<()> {
    if let Some(only) = only {
        ensure!(
            GROUPS.contains(&only),
            "bench jobs takes one of {}",
            GROUPS.join(", ")
        );
    }
    let is_asked = |group: &str| only.is_none_or(|only| only == group);
    if is_asked("processes") {
        processes::run(&tools.binaries, &tools.data)?;
    }
    if is_asked("dask") {
        dask::run(tools)?;
    }
    if is_asked("scaling") {
        scaling::run(tools)?;
    }
    Ok(())
}
