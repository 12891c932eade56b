//! Running the jobs of a copy on all threads: [`run_jobs`].
//!
//! ```text
//! jobs ─► scheduler: threads take them ─► execute ─► routes ─► worker ─► sink ─► Writer
//!             ▲                                                  ▲
//!             └── MemoryBudget::admit waits for room             └── Reader, or fetch: requested ahead
//! ```
//!
//! `options` has threads and memory. `context` is what the threads share: `sink` with its `meters`, `progress`, `buffer_pool`, the first
//! failure. For one chunk, `input_access` gives its input, `chunk_target` tells where it goes, `chunk_data` holds its bytes, and
//! `skip_fill` leaves it out.

mod buffer_pool;
mod chunk_data;
mod chunk_target;
mod context;
mod execute;
mod fetch;
mod input_access;
mod meters;
mod options;
mod progress;
mod routes;
mod run_jobs;
mod scheduler;
mod sink;
mod skip_fill;
mod worker;

pub use meters::{Meters, Passed};
pub use options::RunOptions;
pub use progress::Progress;
pub use run_jobs::{Totals, run_jobs, run_some};
