//! Proof that a dataset is sound, or that two are the same.
//!
//! ```text
//! Reader ─┬─► check     every piece, on all cores ─► faults, and what no checksum covers
//!         ├─► salvage   check ─► a Reader without what is lost ─► copy
//!         ├─► digest    values in C order ─► SHA-256 of each variable
//!         └─► compare   with another Reader ─► differences
//! copy ─► verify: compare, before the output takes its name
//! ```

mod check;
mod pieces;
mod report;

pub use check::{CheckOptions, Checked, Loss, Lost, check};
pub use report::{check_json, check_text};
