//! Writing a hierarchy of either version.
//!
//! ```text
//! v2::write │ v3::write: documents ─► writer
//!                                       ▲
//! values ─► value_form: strings, packing ─► chunks ─┬─► keys below each array
//!           fill_chunk: chunks of fill values       └─► shards (version 3): chunks in a row, then the index
//!                                                         └─ shard_file: a shard that is a file of another format
//! finish ─► documents, last of all the consolidated one ─► publish
//! ```
//!
//! `shards` writes the indexes of `v3::sharding`.

mod fill_chunk;
mod packing;
mod shard_file;
mod shards;
mod strings;
mod value_form;
mod writer;

pub use packing::Packing;
pub use shard_file::{ShardBytes, ShardFile, ShardFiles};
pub use shards::ShardGrid;
pub use writer::{HierarchyDocuments, ZarrWriter, grids};
