//! The decoder of deflate streams.
//!
//! ```text
//! stream ─► decoder ─┬─ literals: blocks of short codes or of one length ─► block, by literal_table ─► content
//!                    └─ libdeflate: others
//! ```

pub mod block;
pub mod decoder;
pub mod literal_table;
pub mod literals;
#[cfg(test)]
mod tests;
