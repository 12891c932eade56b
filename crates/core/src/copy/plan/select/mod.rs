//! Which variables, groups and objects of the input are copied: the lists of `nccopy -v -V -g -G`.
//!
//! ```text
//! lists ─┬─► variables: of a dataset               ─► Use of each: copied, only defined, left out
//!        │      └─► needed: what the copied ones name
//!        └─► objects: of HDF5 that is copied as it is, by the same rules
//! ```

mod needed;
mod objects;
mod variables;

pub use objects::{for_selected, select_objects};
pub use variables::{Selected, Use, copied, select};
