//! Running the jobs of a copy on all threads: [`run_jobs`].
//!
//! ```text
//! jobs ─► scheduler: threads take them ─► execute ─► routes ─► worker ─► sink ─► Writer
//!             ▲                                                  ▲
//!             └── memory budget                                  └── Reader, or fetch: requested ahead
//! ```

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
