//! Checks, and what is left of a damaged archive.
//!
//! ```text
//! archive ─► check_archive: every block, indexes, SHA-256 by way of Passing ─► Findings
//! archive ─► salvage: every block that is whole ─► original with zeros for the rest, lost ranges
//! ```

pub(super) mod check_archive;
pub(super) mod finding;
mod passing;
pub(super) mod salvage;
