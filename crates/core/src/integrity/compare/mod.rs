//! Comparing two datasets of any formats.
//!
//! ```text
//! datasets: groups, types, attributes ─► differences
//!    └─► values: tiles that share no chunk, without boxes that neither side stored ─► elements: Difference
//! ```

mod compared;
mod datasets;
mod elements;
mod options;
mod stored_boxes;
mod tiles;
mod values;

pub use compared::Compared;
pub(super) use datasets::compare_with_values_of;
pub use datasets::{Named, compare, difference_text};
pub use elements::{Difference, Equality};
pub use options::CompareOptions;
pub(super) use values::compare_sides;
pub use values::compare_values;
