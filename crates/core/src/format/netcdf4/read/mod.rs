//! Reading HDF5 files as netCDF, whether netCDF-4 or another program wrote them.
//!
//! ```text
//! Object ─► object: links, hierarchy, in netCDF's order
//!                 │
//!                 ├─► datatype: types ────────┐
//!                 ├─► dimension: scale, phony ┼─► schema ─► Schema
//!                 ├─► attributes ─────────────┘      └────► layout ─► VariableLayout
//!                 ├─► reference: paths of objects ─► datatype::convert
//!                 │
//!                 ├─► virtual_dataset: mappings ◄─► its folder source: each source as a reader
//! chunks, ranges ◄┴─ reader ─► data: plain numbers as they are; structured: datatype::convert ─► Values
//! ```
//!
//! `opening` begins. `netcdf4_reader` has the struct, `reader` its `Reader`, `virtual_variable` its virtual variables.
//!
//! Beside the path: `damage`, `own_check` and `shard_index` tell what is wrong with a file, `open_flags` whether its writer closed it,
//! `provenance` who wrote it, `list_sources` which other files it names, `seek_source` whether one of them is where a copy goes, `space` its sizes. `user_path` names objects in messages.

mod attributes;
mod damage;
mod data;
mod datatype;
mod dimension;
mod layout;
mod list_sources;
mod netcdf4_reader;
mod object;
mod open_flags;
mod opening;
mod own_check;
mod provenance;
mod reader;
mod reference;
mod schema;
mod seek_source;
mod shard_index;
mod space;
mod user_path;
mod virtual_dataset;
mod virtual_variable;

pub(super) use data::stored::{StoredData, StoredVariable};
pub use netcdf4_reader::Netcdf4Reader;
pub(super) use object::heap_filters::codec_specs;
pub(super) use object::links::OpenFile;
pub use open_flags::{is_open_for_swmr, unfinished};
pub(super) use opening::scan_fault;
pub(in crate::format) use opening::with_remains;
pub(super) use seek_source::Seeker;
pub(super) use user_path::user_path;
pub(super) use virtual_dataset::mappings_of_file::no_sources;
pub(super) use virtual_dataset::{Sources, Trail, VirtualData};
