//! Reading a hierarchy.
//!
//! ```text
//! store ─► metadata_store ─► hierarchy: groups, arrays, documents
//!                               └─► schema ◄─ array_metadata, ../attributes, ../dtype, ../fill_value
//!                                     └─► reader ◄─ elements
//! ```

mod array_metadata;
mod elements;
mod hierarchy;
mod metadata_store;
mod reader;
mod schema;

pub use reader::ZarrReader;
