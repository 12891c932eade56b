//! C-Blosc 1 behind a safe interface: one buffer in, one buffer out, on the caller's thread.
//!
//! A Blosc buffer is a header of 16 bytes and compressed blocks of the input. The header tells how to decode the rest,
//! so [`decompress`] needs no [`Settings`]. `ffi` holds all `unsafe` code.
//!
//! C-Blosc, README_CHUNK_FORMAT.rst.

mod buffer;
mod error;
mod ffi;
mod header;
mod limits;
mod settings;
mod stream;

pub use buffer::{check, compress, decompress};
pub use error::Error;
pub use header::Header;
pub use limits::{HEADER_LENGTH, MAX_INPUT, MAX_LEVEL, MAX_TYPE_SIZE};
pub use settings::{Compressor, Settings, Shuffle};
pub use stream::{compress_stream, decompress_stream, is_stream_length};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
