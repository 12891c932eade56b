//! Restoring: an archive is read front to back, and becomes its original again.
//!
//! ```text
//! archive, or a pipe ─► blocks ─► assemble: decoded on all threads ─► scatter: into windows of records ─► output, SHA-256
//! ```

pub(super) mod assemble;
pub(super) mod blocks;
pub(super) mod restore_file;
pub(super) mod scatter;
