//! Compressed files as objects: Zstandard's seekable format, and gzip and plain Zstandard as streams.
//!
//! ```text
//! compressed ─► zst_source ─► zst_frames, zst_fetch: frames that are decoded at random
//! zst_output: frames on all threads ─► any Output    zst_writer: frames one after another
//! ```

pub mod compressed;
pub mod seekable_zst;
pub mod zst_fetch;
pub mod zst_frames;
pub mod zst_output;
pub mod zst_source;
pub(crate) mod zst_writer;
