//! General compressors of bytes: bzip2, LZ4, LZF, LZMA and Zstandard.
//!
//! Each file states its ids, its parameters and its stream. `copy_back` copies back references for decoders.

pub mod bzip2;
pub mod copy_back;
pub mod lz4;
pub mod lzf;
pub mod lzma;
pub mod zstd;
