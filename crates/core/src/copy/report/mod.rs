//! What a copy will do, and what it did.
//!
//! ```text
//! Prepared ─┬─► describe ──────────────► Description, before anything is written
//!           └─► run_report: run ─► data ─► Report
//! ```

mod describe;
mod run_report;

pub use describe::{Description, VariableDescription};
pub use run_report::{Report, VariableReport, ratio, run};
