//! netCDF-4: the netCDF data model in HDF5 files.

mod bytes;
mod conventions;
mod hdf5_error;
mod heap_limit;
mod read;
pub mod verbatim;
mod write;

pub(in crate::format) use read::with_remains;
pub use read::{Netcdf4Reader, is_open_for_swmr, unfinished};
pub use write::{check, check_plans, create};
