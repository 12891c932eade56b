//! DAP2: a dataset described by two texts, and values as XDR.
//!
//! ```text
//! .dds ─► lexer ─► dds ─► leaves: atomic variables ◄─ constraint of the URL
//!                            │
//! .das ─► lexer ─► das ─► attributes: whose each set is ─► schema, with dimensions and attribute_values
//!
//! region ─► leaf.projection: name[a:s:b] ─► .dods ─► xdr ─► elements
//! ```
//!
//! Names, dimensions, types and attributes are those of netCDF-C, so that its text and ours are the same.

mod attribute_values;
mod attributes;
mod constraint;
mod das;
mod dds;
mod dimensions;
mod leaf;
mod leaves;
mod lexer;
mod names;
mod reader;
mod schema;
mod xdr;

pub use reader::Dap2Dataset;
