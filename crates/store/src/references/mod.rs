//! References: keys whose values lie in other files, as kerchunk and Icechunk keep them.
//!
//! ```text
//! chunk of a file ─► Reference ─► KeyOutput::put_reference ─► a file of references
//! ```

mod reference;

pub use reference::{ObjectVersion, Reference, StoredRange};
