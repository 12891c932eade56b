//! Transposition of the bytes and bits of a chunk: shuffle and bitshuffle.
//!
//! ```text
//! elements of n bytes ─► n planes of bytes (shuffle), or 8n planes of bits (bitshuffle)
//! ```
//!
//! `plane` transposes any two dimensions. `squares`, `avx512`, `byte_positions` and `vector_memory` do the work in vectors.

pub mod avx512;
pub mod bitshuffle;
pub mod byte_positions;
pub mod plane;
pub mod shuffle;
pub mod squares;
#[cfg(target_arch = "x86_64")]
pub mod vector_memory;
