//! Which variables, groups and objects of the input are copied: the lists of `nccopy -v -V -g -G`.
//!
//! ```text
//! lists ─┬─► variables: of a dataset               ─► Use of each: copied, only defined, left out
//!        └─► objects: of HDF5 that is copied as it is, by the same rules
//! ```

mod objects;
mod variables;

pub use objects::{for_selected, select_objects};
pub use variables::{Selected, Use, copied, select};
