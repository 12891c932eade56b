//! Local files, read and written by position.
//!
//! ```text
//! file_source ─► file_pool: few open at a time         external_files, data_access: which files a file may name
//! file_output ─► unfinished: unnamed, or partial beside its place ─ commit: sync, link or rename ─► path
//! ```
//!
//! `family` joins members of a file. `lock` tells whether another program writes to a file. `take_over` gives a file the mode and
//! owner of the one that it replaces. `unfinished::remains` has what could not be removed.

pub mod data_access;
pub mod external_files;
pub mod family;
pub mod file_output;
pub mod file_pool;
pub mod file_source;
mod file_version;
pub mod lock;
pub(crate) mod stop_point;
pub mod symlinks;
pub(crate) mod take_over;
pub mod temporary;
pub mod unfinished;
