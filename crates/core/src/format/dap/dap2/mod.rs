//! DAP2: a dataset described by two texts, and values as XDR.
//!
//! ```text
//! .dds ─► lexer ─► dds ─► leaves: atomic variables ◄─ constraint of the URL
//!                            │
//! .das ─► lexer ─► attributes: whose each set is ─► schema, with dimensions
//!
//! box ─► leaf.projection: name[a:s:b] ─► data: requests, answers ─► elements         together, rows, computed: what is read whole
//! ```
//!
//! Names, dimensions, types and attributes are those of netCDF-C, so that its text and ours are the same.

mod attributes;
mod computed;
mod constraint;
mod data;
mod dds;
mod dimensions;
mod leaf;
mod leaves;
mod lexer;
mod names;
mod reader;
mod rows;
mod schema;
mod together;

pub use reader::Dap2Dataset;
