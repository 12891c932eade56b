//! References: keys whose values lie in other files, as kerchunk and Icechunk keep them.
//!
//! ```text
//! chunk of a file ─► Reference ─► KeyOutput::put_reference ─► json_writer ─► a file of references
//! ```

pub mod base64;
mod json_writer;
mod reference;
mod referenced_array;

pub use json_writer::JsonReferences;
pub use reference::{ObjectVersion, Reference, StoredRange};
pub use referenced_array::ReferencedArray;
