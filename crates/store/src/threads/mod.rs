//! Runs work on several threads. All threads that compute are started here.
//!
//! ```text
//! a program's --threads ─► set_count ─► count ─► on_all: the same work on each
//!                                          ├───► beside: work on other threads, while the caller does something else
//!                                          ├───► in_order: jobs in any order, results in the order of jobs
//!                                          └───► try_map: the same for the items of a list
//! ```
//!
//! Within `single_threaded`, the calling thread counts as the only one. `reorder_window` restores the order of pieces that come from threads which someone else runs.
//! `open_files` tells how many jobs the system lets run at once.

mod in_order;
mod on_all;
mod open_files;
pub(crate) mod reorder_window;
mod try_map;

pub use in_order::in_order;
pub use on_all::{beside, count, on_all, set_count, single_threaded};
pub use open_files::{allow_jobs_with_files, jobs_with_files};
pub use try_map::try_map;
