//! The decoder of deflate streams.
//!
//! ```text
//! stream ─► decoder ─┬─ literals: blocks of literals and runs ─► block, by literal_table ─► content
//!                    └─ libdeflate: others
//! ```

pub mod block;
pub mod decoder;
pub mod literal_table;
pub mod literals;
