//! What a copy prints on standard output.
//!
//! ```text
//! --dry-run ─► plan_text ─┐
//!                         ├─► table: even columns
//! --summary ─► summary ───┘
//! ```

pub(crate) mod plan_text;
pub(crate) mod summary;
mod table;
