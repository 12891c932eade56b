//! References: keys whose values lie in other files, as kerchunk and Icechunk keep them.
//!
//! ```text
//! chunk of a file ─► Reference ─► KeyOutput::put_reference ─► a file of references
//! a file of references ─► read ─► KeyStore
//! ```

pub mod base64;
pub mod icechunk;
pub mod parquet;
mod read;
mod reference;

pub use read::{ReferenceKeys, ReferenceSet, ReferenceTable, read_kerchunk};
pub use reference::{ObjectVersion, Reference, StoredRange};
