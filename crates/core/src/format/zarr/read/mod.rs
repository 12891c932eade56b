//! Reading a hierarchy.
//!
//! ```text
//! store ─► metadata: documents ─► groups, arrays ─► schema ◄─ ../attributes, ../dtype, ../fill_value
//!                                                      └─► reader, fetch ◄─ elements, shards, vlen_chunk
//! ```

mod elements;
mod fetch;
mod key_sizes;
mod listed;
mod metadata;
mod opening;
mod own_check;
mod places;
mod reader;
mod referenced;
mod shards;
mod space;
mod untyped_codecs;
mod vlen_chunk;

pub use elements::{Elements, Unit, count_numbers};
pub use metadata::built::{Built, StoredArray};
pub use metadata::implicit_groups::ImplicitGroups;
pub use metadata::metadata_store::MetadataStore;
pub use metadata::named_dimensions::NamedDimensions;
pub use metadata::user_types::UserTypes;
pub use reader::ZarrReader;
