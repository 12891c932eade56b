//! Writing a hierarchy.
//!
//! ```text
//! chunks, values ─► writer ─► keys below each array
//! finish ─► metadata: groups and arrays ─► documents ─► keys, last of all `.zmetadata` ─► publish
//! ```

mod check;
mod metadata;
mod strings;
mod warnings;
mod writer;

pub use check::{check, check_plans};
pub use warnings::warnings;
pub use writer::ZarrWriter;
