//! Checksums of chunks: Fletcher-32 of HDF5, and the 32-bit checksums of Zarr.
//!
//! A checksum is added behind, or before, the bytes. A wrong one is an error of the chunk.

pub mod checksum32;
pub mod fletcher32;
