//! Reading HDF5 files as netCDF, whether netCDF-4 or another program wrote them.
//!
//! ```text
//! Object ─► object: links, hierarchy, in netCDF's order
//!                 │
//!                 ├─► datatype: types ────────┐
//!                 ├─► dimension: scale, phony ┼─► schema ─► Schema
//!                 ├─► attributes ─────────────┘      └────► layout ─► VariableLayout
//!                 │
//! chunks, ranges ◄┴─ reader ─► region: plain numbers as they are; structured: datatype::convert ─► Values
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
