//! References: keys whose values lie in other files, as kerchunk and Icechunk keep them.
//!
//! ```text
//! chunk of a file ─► Reference ─► KeyOutput::put_reference ─┬─► json_writer ────► a file of references
//!                                                           ├─► parquet_writer ─► a folder of them, by parquet
//!                                                           └─► icechunk/write ─► a repository
//! a file or a folder of references ─► read, parquet, icechunk ─► KeyStore
//! ```
//!
//! `listed_references` and `reference_pool` find the chunks of an array by numbers, without their keys.

pub mod base64;
pub mod icechunk;
mod json_string;
mod json_writer;
mod listed_references;
pub mod parquet;
mod parquet_writer;
mod read;
mod reference;
mod reference_pool;
mod referenced_array;
mod value_spool;

pub use json_writer::JsonReferenceOutput;
pub use parquet_writer::ParquetReferenceOutput;
pub use read::{ReferenceKeys, ReferenceSet, ReferenceTable, read_kerchunk};
pub use reference::{ObjectVersion, Reference, ReferencedObject, StoredRange, ValuePlace};
pub use referenced_array::ReferencedArray;
