//! Deflate (RFC 1951), and what wraps it: zlib (RFC 1950) and gzip (RFC 1952).
//!
//! ```text
//! chunk ─► runs (`judge`) ─┬─ one byte ────────────► repeated_byte ────────┐
//!                          ├─ noise ───────────────► stored blocks ────────┤
//!                          ├─ nothing repeated ────► literal_blocks ───────┼─► deflate_stream ─► zlib or gzip wrapper
//!                          └─ repeats (`repeats`) ─► encoder: libdeflate ──┘
//! a few bytes ─► fixed_codes ─► zlib or gzip wrapper
//!
//! stream ─► decode ─┬─ blocks of literals and runs ─► decoded here ─┬─► chunk
//!                   └─ others ──────────────────────► libdeflate ───┘
//! ```

pub mod blocks;
pub mod byte_counts;
pub mod decode;
pub mod deflate;
pub mod deflate_check;
pub mod deflate_stream;
pub mod deflate_wrapper;
pub mod encoder;
pub mod gzip;
pub mod judge;
pub mod libdeflate;
pub mod repeats;
pub mod runs;
