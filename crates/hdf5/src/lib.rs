//! The HDF5 file format, read and written in safe Rust.
//!
//! The modules follow the *HDF5 File Format Specification*. The crate handles structure only: it runs no filter,
//! converts no values, and knows nothing of netCDF. Filters on the structure itself are undone by the caller's
//! [`FilterDecoder`].
//!
//! Reading leads from a [`ByteSource`] to a [`File`], to its [objects](File::object), and to their
//! [links](File::links), [attributes](File::attributes) and [datasets](File::dataset). Data is read [by
//! value](File::read_values), [by chunk](File::read_chunk), or at [addresses](File::read_at). [`FileWriter`] writes
//! files.
//!
//! # Parts
//!
//! ```text
//! read:   source ─► metadata: checked reads ─► superblock ─► object_header ─► messages ─┬─► group: links
//!                                                                                       ├─► attribute
//!                                                                                       └─► reader: Dataset ─► chunk_index ─► elements
//! write:  ObjectSource ─► writer ─► source: ByteSink
//! both:   dataset, datatype, dataspace: what a dataset is
//! ```
//!
//! `btree` and `heap` are the structures that hold groups, attributes and indexes. Folders beside `writer` read; what they read is written by
//! the file of the same name in `writer`: `heap/global.rs`, `writer/heap/global.rs`.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ncutils_hdf5::File;
//!
//! let file = File::open(std::fs::File::open("tests/data/chunk_indexes_latest.h5")?)?;
//! let dataset = file.dataset(&file.open_path("/small")?)?;
//! let values: Vec<u8> = file.read_values(&dataset)?;
//! # assert_eq!(values.len(), 70);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod attribute;
mod btree;
pub mod checksum;
mod chunk_index;
mod dataset;
mod dataspace;
mod datatype;
mod error;
mod group;
mod heap;
mod messages;
mod metadata;
mod name;
mod object_header;
mod reader;
mod short_bytes;
mod source;
mod superblock;
mod writer;

pub use attribute::Attribute;
pub use chunk_index::{ChunkIndex, ChunkRecord, ChunkTable, ChunkedLayout};
pub use dataset::{
    AllocationTime, ElementSelection, Encoded, ExternalSegment, Fill, FillTime, FillValue, Filter,
    FilterDecoder, Layout, MAX_COMPACT_BYTES, MappedBox, StorageMessages, Stripe, VirtualMapping,
};
pub use dataspace::Dataspace;
pub use datatype::{
    ByteOrder, CharacterSet, Class, CompoundMember, Datatype, FloatingPoint, ReferenceKind, StringPadding,
};
pub use error::{Error, Result};
pub use group::{Link, LinkTarget, Links};
pub use heap::global::{GlobalHeapObject, GlobalHeapReader};
pub use messages::superblock_extension::file_space::{FileSpace, FileSpaceStrategy};
pub use metadata::{Limits, StructureBlock};
pub use name::{bytes_of_text, has_other_bytes, is_link_name, text_of_bytes};
pub use object_header::{CreationOrder, ObjectProperties};
pub use reader::{
    Dataset, File, Followed, Number, Object, ObjectKind, OpenOptions, Recovered, SpaceCount, StoredChunk,
    Tolerated,
};
pub use short_bytes::ShortBytes;
pub use source::{ByteSink, ByteSource, ReadRequest};
pub use superblock::Consistency;
pub use writer::{
    AttributeSpec, Data, DatasetSpec, DatatypeSpec, FileSettings, FileTree, FileWriter, FillSpec, LayoutSpec,
    LinkSpec, ObjectId, ObjectSource, ObjectSpec, ObjectSpecKind, Payload, Sequences, leaves_hole,
};
