//! The objects of an HDF5 file, in netCDF's order.
//!
//! ```text
//! Object ─► links: open files, external links ─► hierarchy: groups, datasets, committed types
//!                 └─ heap_filters: filtered heaps      └─ repeats: limits what further links meet again
//! ```

pub mod heap_filters;
pub mod hierarchy;
pub mod links;
mod repeats;
