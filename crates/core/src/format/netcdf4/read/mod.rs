//! Reading: HDF5 files, netCDF-4's own and others, as netCDF.
//!
//! ```text
//! Object ─► links, hierarchy: objects in netCDF's order, as stored
//!                    │
//!                    ├─► types ──────────────────────────┐
//!                    ├─► dimension_scale, phony_dimension ├─► schema ─► Schema
//!                    ├─► attributes, extent ──────────────┘      └────► storage, fill ─► VariableLayout
//!                    │
//!   chunks, ranges ◄─┴─ reader ─► region: plain numbers as they are; structured: convert ─► Values
//! ```

mod attributes;
mod datatype;
mod dimension;
mod layout;
mod object;
mod reader;
mod schema;
mod structured;

pub use reader::Netcdf4Reader;
