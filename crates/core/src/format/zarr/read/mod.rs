//! Reading a hierarchy.
//!
//! ```text
//! store ─► metadata_store ─► hierarchy: groups, arrays, documents
//!                               └─► schema ◄─ array_metadata, ../attributes, ../dtype, ../fill_value
//!                                     └─► reader ◄─ elements, shards ◄─ opened_shards
//! ```

mod array_metadata;
mod elements;
mod hierarchy;
mod listed;
mod metadata_store;
mod named_dimensions;
mod opened_shards;
mod opening;
mod own_check;
mod reader;
mod schema;
mod shard_bytes;
mod shards;
mod untyped_codecs;
mod vlen_chunk;

pub use elements::Elements;
pub use metadata_store::MetadataStore;
pub use named_dimensions::NamedDimensions;
pub use reader::ZarrReader;
pub use schema::{Built, StoredArray};
