//! The netCDF classic formats: CDF-1 (classic), CDF-2 (64-bit offset) and CDF-5 (64-bit data).
//!
//! All numbers are big-endian. The record variables are interleaved, record by record:
//!
//! ```text
//! │ header │ variables of fixed size, each padded to 4 bytes │ record 0: a │ pad │ b │ record 1: a │ pad │ b │ …
//!    │         begin(v) ─┘                                     begin(a) ─┘           └── record size ──┘
//!    └── "CDF" version, records, dimensions, global attributes, variables
//! ```
//!
//! A single record variable is not padded. The sizes of variables in the header (`vsize`) have too few bits
//! for large variables, so they are written for other programs and never read. [`Reader`](super::Reader) and
//! [`Writer`](super::Writer) treat a record variable as one array, and `Input` maps it to records.
//!
//! Specification: "The NetCDF Classic Format Specification" in the netCDF documentation (OGC 10-092).

mod assembly;
mod fetch;
mod growth;
mod header;
mod map;
mod read_ahead;
mod reader;
mod records;
mod slabs;
mod space;
mod writer;

pub use header::write_check::check;
pub(in crate::format) use map::{FileMap, MappedVariable};
pub use reader::ClassicReader;
pub use writer::ClassicWriter;
pub use writer::check_places;
