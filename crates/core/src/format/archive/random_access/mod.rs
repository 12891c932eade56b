//! Reading at random: an archive as a dataset.
//!
//! ```text
//! ArchiveReader ─► Archive: front, back, indexes of streams ─► blocks ─► block_cache ─► ranges of variables
//!                                                   slow store ─► ahead: many blocks at once
//! ```

mod ahead;
mod block_cache;
pub(super) mod opened;
pub(super) mod reader;
