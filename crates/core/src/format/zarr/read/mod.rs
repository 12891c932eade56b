//! Reading a hierarchy of either version.
//!
//! ```text
//! store ─► metadata: documents ─► v2::read │ v3::read ─► Built: schema, layouts, arrays
//!                                                          └─► reader: chunks, values of regions
//!                                                                ▲
//! chunks:  listed, key_sizes: which exist; shards: those in a shard; fetch: many at once
//! values:  elements: their form in chunks; vlen_chunk, untyped_codecs: elements of different lengths
//! besides: own_check, places, referenced, space: extensions of the reader
//! ```
//!
//! `metadata` knows where each version has its documents, `space` knows the keys of both, and `shards` reads the indexes of
//! `v3::sharding`. The reader refuses unknown codecs of version 3 also for chunks that were never written.

mod elements;
mod fetch;
mod key_sizes;
mod listed;
mod metadata;
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
pub use metadata::metadata_store::{MetadataStore, fault};
pub use metadata::named_dimensions::NamedDimensions;
pub use metadata::user_types::UserTypes;
pub use reader::ZarrReader;
