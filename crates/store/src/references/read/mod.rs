//! Reading references: a set of references as a store of keys.
//!
//! ```text
//! JSON    ─► json_text ─► kerchunk, template ─► ReferenceTable ─┐
//! Parquet ─► ../parquet ──────────────────► ParquetReferences ──┼─► ReferenceSet ─► ReferenceKeys: a KeyStore
//!                                                                   objects: what they lead to ─┘
//! ```

mod json_text;
mod kerchunk;
mod keys;
mod objects;
mod table;
mod template;

pub use json_text::JsonText;
pub use kerchunk::read_kerchunk;
pub use keys::{ReferenceKeys, ReferenceSet};
pub use table::ReferenceTable;
