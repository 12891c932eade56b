//! HDF5 filters that know numbers: n-bit, scale-offset, and the quantizers that only mark a pipeline.
//!
//! Each packs the bits of numbers that carry information.

pub mod nbit;
pub mod quantized;
pub mod scale_offset;
