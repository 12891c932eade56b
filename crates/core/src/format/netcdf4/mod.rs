//! netCDF-4: netCDF over HDF5.

mod write;

pub use write::{check, create};
