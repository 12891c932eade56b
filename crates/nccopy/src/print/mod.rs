//! What a copy prints on standard output.
//!
//! ```text
//! --dry-run ─► plan_text ─┐
//!                         ├─► table: even columns ─► report: names of the copy ─► standard output
//! --summary ─► summary ───┘
//! ```

pub(crate) mod plan_text;
pub(crate) mod report;
pub(crate) mod summary;

use ncutils_cli::columns;
