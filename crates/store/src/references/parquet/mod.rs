//! Files of Parquet, as kerchunk has references in them.
//!
//! ```text
//! columns ─► file_writer: pages, footer ─► thrift_writer
//! ```
//!
//! Specification: Apache Parquet, "File Format" and `parquet.thrift`.

mod file_writer;
mod thrift_writer;

pub use file_writer::{ColumnKind, FileWriter, PageValues, push_bytes};
