//! netCDF-4: netCDF over HDF5.

mod bytes;
mod conventions;
mod read;
mod write;

pub use read::Netcdf4Reader;
pub use write::{check, check_plans, create};
