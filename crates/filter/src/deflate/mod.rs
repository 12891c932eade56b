//! Deflate (RFC 1951), and what wraps it: zlib (RFC 1950) and gzip (RFC 1952).
//!
//! ```text
//! chunk ─► runs ─┬─ noise ───────────────► stored blocks ─────────┐
//!                ├─ nothing repeated ────► literal_blocks ────────┼─► deflate stream ─► zlib or gzip wrapper
//!                └─ repeats (by `repeats`) ─► libdeflate, or zlib-rs ─┘
//! ```

pub mod byte_counts;
pub mod deflate;
pub mod deflate_blocks;
pub mod deflate_by_planes;
pub mod deflate_check;
pub mod deflate_wrapper;
pub mod gzip;
pub mod huffman_code;
pub mod libdeflate;
pub mod literal_blocks;
pub mod repeats;
pub mod runs;
