//! The attributes of a dataset of DAP2.
//!
//! ```text
//! .das ─► das: sets of texts ─► merged: whose each set is ─► values: attributes of netCDF
//! ```

mod das;
mod merged;
mod values;

pub use das::{AttributeSet, parse};
pub use merged::{Merged, merged};
pub use values::{attribute, classic_type};
