//! The HDF5 file format, read and written in safe Rust.
//!
//! Laid out as the *HDF5 File Format Specification* is. The crate knows structure only: it runs no filter (those over
//! the structure itself are undone by the [`FilterDecoder`] that the caller brings), converts no value and knows nothing of
//! netCDF.
#![forbid(unsafe_code)]

mod attribute;
mod btree;
pub mod checksum;
mod chunk_index;
mod dataset;
mod datatype;
mod decoder;
mod error;
mod group;
mod heap;
mod layout;
mod messages;
mod object_header;
mod reader;
mod source;
mod superblock;
mod walk;
mod writer;

pub use attribute::Attribute;
pub use chunk_index::{ChunkIndex, ChunkTable, ChunkedLayout};
pub use dataset::{AllocationTime, ChunkRecord, Dataspace, Fill, FillTime, FillValue, Filter};
pub use datatype::{
    ByteOrder, CharacterSet, Class, CompoundMember, Datatype, FloatingPoint, ReferenceKind, StringPadding,
};
pub use decoder::FilterDecoder;
pub use error::{Error, Result};
pub use group::{Link, LinkTarget, Links};
pub use heap::global::{GlobalHeapObject, GlobalHeapReader};
pub use layout::Layout;
pub use reader::{Dataset, File, Limits, Object, ObjectKind, OpenOptions};
pub use source::{ByteSink, ByteSource, ReadRequest};
pub use writer::{
    AttributeSpec, Data, DatasetSpec, DatatypeSpec, FileTree, FileWriter, FillSpec, LayoutSpec, ObjectId,
    ObjectSource, ObjectSpec, ObjectSpecKind, Payload, Sequences,
};
