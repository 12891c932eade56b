//! Proof that a dataset is sound, or that two are the same.
//!
//! ```text
//! Reader ─┬─► check     every piece, on all cores ─► faults, and what no checksum covers
//!         ├─► salvage   check ─► a Reader without what is lost ─► copy
//!         ├─► digest    values in C order ─► SHA-256 of each variable
//!         └─► compare   with another Reader ─► differences
//! copy ─► verify: compare, before the output takes its name
//! ```

mod canonical;
mod check;
mod chosen;
mod compare;
mod compare_values;
mod digest;
mod elements;
mod fetch;
#[cfg(test)]
mod in_keys;
mod of_others;
mod pieces;
mod report;
mod salvage;
mod selected;
mod stored;
mod tiles;
mod verify;
mod work;

pub use check::{CheckOptions, Checked, Loss, Lost, check, check_variables};
pub use chosen::chosen;
pub use compare::{CompareOptions, Named, compare, difference_text};
pub use compare_values::compare_values;
pub use digest::digest;
pub use elements::{Difference, Equality};
pub use report::{check_json, check_text};
pub use salvage::Salvage;
pub use verify::Promise;

use crate::format::Reader;
use crate::model::VarId;

/// A variable of one of two datasets that are compared.
type Side<'a> = (&'a dyn Reader, VarId);
