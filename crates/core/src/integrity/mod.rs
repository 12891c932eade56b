//! Integrity: check, digest, compare, verify, salvage.
//!
//! ```text
//! Reader ─┬─► check     every piece, on all cores ─► faults, and what no checksum covers
//!         ├─► salvage   check ─► a Reader without what is lost ─► copy
//!         ├─► digest    values in C order ─► SHA-256 of each variable
//!         └─► compare   with another Reader ─► differences
//! copy ─► verify: compare, before the output takes its name
//! ```

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
