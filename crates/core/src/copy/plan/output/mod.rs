//! What the output is as a whole.
//!
//! ```text
//! kind: the output's kind ─► output_schema: the input's schema in that kind ─► kind: can it hold that?
//! unsupported: all that the kind cannot hold is left out, if that is asked for
//! user_types: left out, where shards are HDF5 files
//! normalized_names: its names as netCDF-C finds them
//! pages: the size of an HDF5 file's pages
//! ```

pub mod dimensions;
pub mod kind;
pub mod normalized_names;
pub mod output_schema;
pub mod pages;
pub mod unsupported;
pub mod user_types;
