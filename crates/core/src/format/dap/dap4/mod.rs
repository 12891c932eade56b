//! DAP4: a dataset described by XML, and values in chunks with checksums.
//!
//! ```text
//! .dmr.xml ─► element ─► dmr, attributes ◄─ constraint of the URL
//! region ─► .dap?dap4.ce=/group/name[a:s:b] ─► chunks ─► elements
//! ```
//!
//! Numbers, text and enumerations are read. Structures, sequences and opaque types are left out, with a warning.

mod attributes;
mod chunks;
mod constraint;
mod dmr;
mod dmr_types;
mod element;
mod elements;
mod reader;

pub use reader::Dap4Dataset;
