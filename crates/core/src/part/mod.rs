//! A part of a dataset: chosen cells along its dimensions.
//!
//! ```text
//! "time=50:150" ─► index::IndexRequest ─┐                       ┌─ Reader: cut schema and layouts, gathered regions
//!                                       ├─► Cells ─► Part ──────┤
//! "lat=-10..10" ─► value::ValueRequest ─┘   (by dimension)      └─ source(), selections(): what a copy reads
//! ```
//!
//! All variables on a dimension are cut. An unlimited dimension stays unlimited, and a dimension of one cell stays.

mod cells;
mod dimension;
mod gather;
pub mod index;
mod layouts;
mod reader;
mod shift;
mod source;
pub mod value;
pub mod verbatim;

use index::IndexRequest;
use value::ValueRequest;

pub use reader::Part;
pub use source::Source;

/// The dimensions to cut, and how. The default cuts none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartRequest {
    /// By indices.
    pub indices: Vec<IndexRequest>,
    /// By values of coordinates.
    pub values: Vec<ValueRequest>,
}

impl PartRequest {
    /// True if the part is the whole dataset.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty() && self.values.is_empty()
    }
}

#[cfg(test)]
mod tests;
