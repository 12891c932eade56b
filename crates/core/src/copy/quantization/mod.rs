//! Quantization: the last bits of floats become zeros or a pattern, so that they compress better. As netCDF-C does it on
//! writing (`nc_def_var_quantize`).
//!
//! ```text
//! --quantize 'var,bitgroom,3'  ┐
//! an attribute in CDL          ┴─► Quantization ─► Quantizer ─► chunks, before they are encoded
//! ```
//!
//! | name | attribute | keeps |
//! | --- | --- | --- |
//! | `bitgroom` | `_QuantizeBitGroomNumberOfSignificantDigits` | decimal digits |
//! | `granularbr` | `_QuantizeGranularBitRoundNumberOfSignificantDigits` | decimal digits |
//! | `bitround` | `_QuantizeBitRoundNumberOfSignificantBits` | bits of the mantissa |
//!
//! The attribute is kept in the file: it says that the values have been quantized.

mod algorithm;
mod quantizer;
mod rounding;

pub use algorithm::{Algorithm, Quantization};
pub(crate) use quantizer::Quantizer;
