//! Finds the dimensions of each variable.
//!
//! ```text
//! attributes of a dataset ─► scale: dimension scales ─┐
//! extents without scale ───► phony ───────────────────┴─► dimensions ─► extent: the variable's own length
//! ```

pub mod dimensions;
pub mod extent;
pub mod phony;
pub mod scale;
