//! What a copy will do, and what it did.
//!
//! ```text
//! Prepared ─┬─► describe ──────────────► Description, before anything is written
//!           │                              └─► estimate: how many bytes there will be
//!           └─► run_report: run ─► data ─► Report
//!                 └─► complete: the same from what other processes have packed
//!
//! routes: by which routes the chunks of a variable go, in both
//! ```

mod complete;
mod describe;
mod estimate;
mod routes;
mod run_report;

pub use complete::{CountWritten, Packed, complete};
pub use describe::{Description, VariableDescription};
pub use estimate::{Estimate, estimates};
pub use routes::Routes;
pub use run_report::{Report, VariableReport, ratio, run};
