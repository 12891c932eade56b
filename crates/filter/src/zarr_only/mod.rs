//! Codecs that only Zarr has: numcodecs' filters, and array codecs of Zarr version 3.
//!
//! `zarr_configuration` reads their configurations. `numpy_type` names the types of numbers, `nearest` rounds floats,
//! `json_scalar` reads and writes numbers in JSON.

pub mod astype;
pub mod bit_round;
pub mod cast_value;
pub mod delta;
pub mod fixed_scale_offset;
pub mod json_scalar;
pub mod nearest;
pub mod numpy_type;
pub mod pack_bits;
pub mod quantize;
pub mod transpose;
pub mod zarr_configuration;
pub mod zarr_scale_offset;
