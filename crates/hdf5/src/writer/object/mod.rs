//! One object as bytes: its header, and behind it the links and attributes that do not fit there.
//!
//! ```text
//! messages ─┬─ few and small ──────────────────────► header ─┐
//!           └─ dense_messages ─► dense_storage: heap, B-trees ─┴─► image
//! ```

mod dense_messages;
mod dense_storage;
mod header;
mod image;

pub(super) use dense_messages::Dense;
pub(super) use dense_storage::{DenseAddresses, DenseKind};
pub(super) use header::{BodyPlace, ObjectHeader, flag, replace_body};
pub(super) use image::{DenseSizes, ObjectImage};
