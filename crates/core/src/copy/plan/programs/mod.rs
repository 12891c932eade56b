//! What the programs read that an output is for.
//!
//! ```text
//! user_types ─► reading_program: the table ─► limits: kinds, filters and types of an output for some of them
//! ```

mod limits;
mod reading_program;
mod user_types;

pub use limits::{Limits, lacking_usually};
pub use reading_program::ReadingProgram;
pub use user_types::UserTypes;
