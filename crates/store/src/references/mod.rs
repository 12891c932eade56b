//! References: keys whose values lie in other files, as kerchunk and Icechunk keep them.
//!
//! ```text
//! chunk of a file ─► Reference ─► KeyOutput::put_reference ─┬─► json_writer ────► a file of references
//!                                                           └─► parquet_writer ─► a folder of them, by parquet
//! ```

pub mod base64;
mod json_string;
mod json_writer;
mod parquet;
mod parquet_writer;
mod reference;
mod referenced_array;
mod value_spool;

pub use json_writer::JsonReferenceOutput;
pub use parquet_writer::ParquetReferenceOutput;
pub use reference::{ObjectVersion, Reference, StoredRange};
pub use referenced_array::ReferencedArray;
