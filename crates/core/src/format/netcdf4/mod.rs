//! netCDF-4: the netCDF data model in HDF5 files.
//!
//! ```text
//! Object ─► read: Netcdf4Reader ─► Schema, layouts, chunks         any HDF5 file ─► verbatim (`-k h5`) ─► the same, as HDF5
//! Schema, plans, chunks ─► write: Netcdf4Writer ─► Output
//! ```
//!
//! `conventions` has the names that netCDF-C gives to attributes and datasets. The bytes of HDF5 are the crate `ncutils-hdf5`'s.

mod bytes;
mod conventions;
mod hdf5_error;
mod heap_limit;
mod read;
pub mod verbatim;
mod write;

pub(in crate::format) use conventions::variable_name;
pub(in crate::format) use hdf5_error::{SourceError, hdf5_error};
pub(in crate::format) use read::with_remains;
pub use read::{Netcdf4Reader, is_open_for_swmr, unfinished};
pub(in crate::format) use write::{DatasetTree, Netcdf4Writer, ObjectTree};
pub use write::{check, check_plans, create};
