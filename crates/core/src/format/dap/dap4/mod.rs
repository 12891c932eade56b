//! DAP4: a dataset described by XML, and values in chunks with checksums.
//!
//! ```text
//! .dmr.xml ─► element ─► dmr: structure, attributes ◄─ constraint of the URL
//! box ─► .dap?dap4.ce=/group/name[a:s:b] ─► chunks ─► elements
//! ```
//!
//! Numbers, text, enumerations, and structures of numbers are read. Other structures, sequences and opaque types are left out,
//! with a warning.

mod attributes;
mod chunks;
mod constraint;
mod dmr;
mod dmr_types;
mod element;
mod elements;
mod reader;
mod structure;

pub use reader::Dap4Dataset;
