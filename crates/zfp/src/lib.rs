//! zfp 1.0 in safe Rust: one array in, one stream of bits out, on the caller's thread. Streams are those of the C
//! library, bit for bit.
//!
//! ```text
//! compress    array ─► place, padding ─► block of 4^d numbers ─► integers (float) ─► transform (lift)
//!                                                                                          │
//!             stream ◄─ bit_writer ◄─ group tests (embedded) ◄─ bit planes (planes) ◄─ order, negabinary
//! decompress  the same, backwards, with bit_reader
//! ```
//!
//! A stream does not tell what it holds. A [`Header`] does, and is stored elsewhere. Blocks have a type and a number of
//! dimensions that the compiler knows: `[[T; ROWS]; GROUPS]` is 4, 16, 64 or 4 × 64 numbers.
//!
//! zfp 1.0, "Algorithm"; "Header"; "Compression modes"; P. Lindstrom, "Fixed-Rate Compressed Floating-Point Arrays".
#![forbid(unsafe_code)]

mod array;
mod bit_reader;
mod bit_writer;
mod block;
mod embedded;
mod float;
mod header;
mod integer;
mod lift;
mod number;
mod order;
mod place;
mod planes;

pub use array::{Error, compress, compress_with_header, decompress, decompress_with_header};
pub use header::{Header, MAX_DIMENSIONS, MAX_PRECISION, Mode, Scalar};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
