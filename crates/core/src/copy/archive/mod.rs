//! Copies to and from archives: which of them move bytes, and how blocks are to be.
//!
//! | input | output | route |
//! | --- | --- | --- |
//! | classic file, nothing changed | its archive | [`ArchiveRoute::Pack`]: its bytes |
//! | archive, nothing changed | archive of the same kind | [`ArchiveRoute::Repack`]: its blocks |
//! | archive, nothing changed | classic file of the archived kind | [`ArchiveRoute::Restore`] |
//! | anything else | archive | [`ArchiveRoute::Convert`]: the classic file that a copy makes, packed |
//! | anything else | anything else | [`ArchiveRoute::Copy`] |
//!
//! ```text
//! options ─► changes of each variable's blocks ─► route
//! ```

mod changes;
mod options;
mod route;

pub use options::{ArchiveOptions, BlockSpec};
pub use route::{ArchiveRoute, archive_route};
