//! The objects of an HDF5 file, in netCDF's order.
//!
//! ```text
//! Object ─► links: open files, external links ─► hierarchy: groups, datasets, committed types
//!                 └─ heap_filters: filtered heaps      ├─ repeats: limits what further links meet again
//!                                                      └─ found_attribute: attributes, converted where that is simple
//! ```

pub mod described;
pub mod found_attribute;
pub mod heap_filters;
pub mod hierarchy;
pub mod links;
mod repeats;
