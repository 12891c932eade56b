//! zfp behind a safe interface: one array in, one stream of bits out, on the caller's thread.
//!
//! A stream does not tell what it holds. A [`Header`] does, and is stored elsewhere. `header` reads and writes the words
//! of headers without the C library. `ffi` holds all `unsafe` code. It and `compress` and `decompress` are there
//! with the cargo feature `library`.
//!
//! zfp 1.0, "Header"; "Compression modes".

#[cfg(feature = "library")]
mod array;
#[cfg(feature = "library")]
mod ffi;
mod header;

#[cfg(feature = "library")]
pub use array::{Error, compress, decompress};
pub use header::{Header, MAX_DIMENSIONS, MAX_PRECISION, Mode, Scalar};

#[cfg(all(test, feature = "library"))]
mod tests;
