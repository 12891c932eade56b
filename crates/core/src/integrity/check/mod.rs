//! Checks: reads all of a dataset through its filters, and tells what is wrong with it.
//!
//! ```text
//! Reader ─► pieces ─► check_dataset, on all cores ─► failure: Loss, Fault ─► Checked ─► report: text, JSON
//!                           └─ virtual_sources: what other datasets lack    └─ subset: faults of a subset
//! ```

mod both_sides;
mod check_dataset;
mod failure;
mod pieces;
mod report;
mod subset;
mod virtual_sources;

pub use both_sides::check_both_sides;
pub use check_dataset::{Checked, check, check_variables};
pub use failure::{Loss, Lost};
pub use report::{check_json, check_text, failed_check_json};
