//! kerchunk's references in Parquet files: a folder with the documents of all arrays, and for each array files with a row for each
//! chunk.
//!
//! ```text
//! NAME.parq/.zmetadata                {"metadata": {key: document}, "record_size": rows of a file}
//! NAME.parq/ARRAY/refs.K.parq         path, offset, size, raw
//!
//! bytes ─► thrift_reader: footer and page headers ─► page_reader, snappy: levels and values ─► file_reader: Rows ─► ParquetReferences
//! columns ─► file_writer: pages, footer ─► thrift_writer ─► bytes
//! ```
//!
//! Only what such files need of Parquet is here: flat columns of 32- and 64-bit integers and of bytes. Anything else is an error that
//! names it. See <https://github.com/apache/parquet-format>, "File Format" and `parquet.thrift`.

mod file_reader;
mod file_writer;
mod page_reader;
mod references;
mod snappy;
mod thrift_reader;
mod thrift_writer;

pub use file_reader::read_rows;
pub use file_writer::{ColumnKind, FileWriter, PageValues, push_bytes};
pub use references::ParquetReferences;
