//! Deflate (RFC 1951), and what wraps it: zlib (RFC 1950) and gzip (RFC 1952).
//!
//! ```text
//! chunk ─► deflate, gzip: the codecs ─► deflate_stream ─► runs: planes, in pieces ─► judge (`repeats`, `byte_counts`)
//!
//! one byte ─────────► blocks::repeated_byte ─────────────────────────────┐
//! noise ────────────► blocks::stored_blocks ─────────────────────────────┼─► one stream, in the codec's wrapper
//! nothing repeated ─► blocks::literal_blocks ────────────────────────────┤
//! repeats ──────────► encoder: libdeflate, or zlib-rs if that is misled ─┘
//!                              └─ a few bytes: blocks::fixed_codes
//!
//! stream ─► decode ─┬─ blocks of literals and runs ─► decoded here ─┬─► chunk
//!                   └─ others ──────────────────────► libdeflate ───┘
//! ```
//!
//! `deflate_wrapper` swaps zlib for gzip. `deflate_check` tests a stream without decoding it.

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
