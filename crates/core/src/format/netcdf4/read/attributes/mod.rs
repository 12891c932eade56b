//! Attributes of HDF5 objects as those of netCDF: their values, and which of them an object keeps.

pub(super) mod owner;
mod values;

pub use values::*;
