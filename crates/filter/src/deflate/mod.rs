//! Deflate (RFC 1951), and what wraps it: zlib (RFC 1950) and gzip (RFC 1952).
//!
//! ```text
//! chunk ─► planes ─┬─ noise ─► stored blocks ──────────────┐
//!                  └─ others ─► libdeflate, or zlib-rs ─────┴─► deflate stream ─► zlib or gzip wrapper
//! ```

#[cfg(target_arch = "x86_64")]
pub mod byte_counts;
pub mod deflate;
pub mod deflate_blocks;
pub mod deflate_by_planes;
pub mod deflate_check;
pub mod deflate_wrapper;
pub mod gzip;
pub mod libdeflate;
pub mod noise;
