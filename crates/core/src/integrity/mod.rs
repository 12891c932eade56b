//! Integrity: check, digest, compare, verify, salvage.
//!
//! ```text
//! Reader ─┬─► check     every piece, on all cores ─► faults, and what no checksum covers
//!         ├─► salvage   check ─► a Reader without what is lost ─► copy
//!         ├─► digest    values in C order ─► SHA-256 of each variable
//!         └─► compare   with another Reader ─► differences
//! copy ─► verify: compare, before the output takes its name
//! ```
//!
//! All of them use `options` (threads, memory), `chosen` (variables that the user names), `work` (pieces on all threads), `fetch` (chunks
//! that are asked for early) and `side` (a variable of one of two datasets). `in_keys` is for tests. `format/archive/check` finds what is
//! wrong with an archive as a file.

mod check;
mod chosen;
mod compare;
mod digest;
mod fetch;
#[cfg(test)]
mod in_keys;
mod options;
mod salvage;
mod side;
mod verify;
mod work;

pub use check::{
    Checked, Loss, Lost, check, check_both_sides, check_json, check_text, check_variables, failed_check_json,
};
pub use chosen::chosen;
pub use compare::{
    CompareOptions, Compared, Difference, Equality, Named, compare, compare_values, difference_text,
};
pub use digest::digest;
pub use options::CheckOptions;
pub use salvage::Salvage;
pub use verify::Promise;
