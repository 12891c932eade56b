//! Subsets of a dataset: chosen cells along its dimensions.
//!
//! ```text
//! "time=50:150" ─► index::IndexRequest ─┐                         ┌─ Reader: cut schema and layouts, gathered regions
//!                                       ├─► Cells ─► Subset ──────┤
//! "lat=-10..10" ─► value::ValueRequest ─┘   (by dimension)        └─ source(), selections(): what a copy reads
//! ```
//!
//! All variables on a dimension are cut. An unlimited dimension stays unlimited, and a dimension of one cell stays.

mod cells;
mod dimension;
mod gather;
pub mod index;
mod layouts;
mod reader;
mod request;
mod shift;
mod source;
pub mod value;
pub mod verbatim;

pub(crate) use layouts::{by_regions, moved_filters};
pub use reader::Subset;
pub use request::SubsetRequest;
pub use source::SubsetSource;

#[cfg(test)]
mod tests;
