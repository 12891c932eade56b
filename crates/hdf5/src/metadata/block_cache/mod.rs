//! A bounded cache of fixed-size blocks of a source.
//!
//! Metadata is read in many small pieces that are close together. The source's [`readahead`](ByteSource::readahead)
//! determines how many blocks one request fetches:
//!
//! ```text
//! read ─► block in the cache? ─► its bytes
//!              │ no
//!              ├─► fetch it and the blocks after it; sequential reads double their number
//!              └─► gathering: note it as missed ─► fetch: all missed blocks, near ones joined, in one `read_many_at`
//! ```

mod blocks;
mod cache;
mod runs;

pub(super) use cache::BlockCache;
