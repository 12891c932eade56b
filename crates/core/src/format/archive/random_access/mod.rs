//! Reading at random: an archive as a dataset.
//!
//! ```text
//! ArchiveReader ─► Archive: front, back, indexes of streams ─► blocks, of which some are kept ─► ranges of variables
//!                                                   slow store ─► ahead: many blocks at once
//! ```

mod ahead;
pub(super) mod opened;
pub(super) mod reader;
mod space;
