//! The HDF5 file format, read and written in safe Rust.
//!
//! Laid out as the *HDF5 File Format Specification* is. The crate knows structure only: it runs no filter, converts no
//! value and knows nothing of netCDF.
#![forbid(unsafe_code)]

mod btree;
mod checksum;
mod chunk_index;
mod dataset;
mod datatype;
mod error;
mod heap;
mod reader;
mod source;
mod walk;
mod writer;

pub use chunk_index::{ChunkIndex, ChunkTable, ChunkedLayout};
pub use dataset::{AllocationTime, ChunkRecord, Dataspace, Fill, FillTime, FillValue, Filter};
pub use datatype::{
    ByteOrder, CharacterSet, Class, CompoundMember, Datatype, FloatingPoint, ReferenceKind, StringPadding,
};
pub use error::{Error, Result};
pub use source::{ByteSink, ByteSource};
pub use writer::{
    AttributeSpec, Data, DatasetSpec, DatatypeSpec, FileTree, FileWriter, FillSpec, LayoutSpec, ObjectId,
    ObjectSpec, ObjectSpecKind,
};
