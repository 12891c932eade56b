//! The sources of virtual datasets.
//!
//! ```text
//! source_name ─► find_source: file, dataset ─► source_dataset ─► SourceReader ─► cast: values of the virtual dataset's type
//!                       └─ BoundedCache: files used lately      └─► source_facts: what is kept of a closed source
//! ```

pub(super) mod cast;
pub(super) mod find_source;
mod missing;
pub(super) mod source_dataset;
pub(super) mod source_facts;
pub(super) mod source_name;
pub(super) mod source_reader;
pub(super) mod virtual_storage;
