//! Reading: HDF5 files, netCDF-4's own and others, as netCDF.
//!
//! ```text
//! ByteSource ─► links, hierarchy: objects in netCDF's order, as stored
//!                    │
//!                    ├─► types ──────────────────────────┐
//!                    ├─► dimension_scale, phony_dimension ├─► schema ─► Schema
//!                    ├─► attributes, extent ──────────────┘      └────► storage, fill ─► VariableLayout
//!                    │
//!   chunks, ranges ◄─┴─ reader ─► region: plain numbers as they are; structured: convert ─► Values
//! ```

mod anonymous_type;
mod attributes;
mod convert;
mod dimension_scale;
mod dimensions;
mod extent;
mod fill;
mod float;
mod heap_filters;
mod hierarchy;
mod links;
mod number;
mod phony_dimension;
mod reader;
mod repeats;
mod schema;
mod storage;
mod structured;
mod types;

pub use reader::Netcdf4Reader;
