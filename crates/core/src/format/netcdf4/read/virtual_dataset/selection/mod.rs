//! Selections of elements, of sources and of virtual datasets (HDF5 specification section VIII.A).
//!
//! ```text
//! hyperslabs ─┬─ runs ───────► index_tree ─┐
//!             └─ boxes ─► box_union ───────┼─► Elements, in order, counted from 0
//! points ──────────────────────────────────┘
//! ```
//!
//! `unlimited` cuts selections without an end, and `box_index` finds the selections that meet a region.

pub(super) mod box_index;
mod box_union;
pub(super) mod elements;
pub(super) mod index_tree;
pub(super) mod unlimited;
