//! Writing files in two phases: all metadata first, then data.
//!
//! ```text
//! ObjectSource ─► check ─► layout (sizes and addresses of all metadata) ─► FileWriter
//!       └────────────────────────────────────────────► objects, global heap ◄─┤
//!   reserve_chunk, insert_sequences: addresses at the end of the file ◄───────┤
//!   write_at, write_storage: bytes, from any thread                   ◄───────┤
//!   finish: chunk indexes, superblock                                 ◄───────┘
//! ```
//!
//! All objects are known first, so that references between them can be resolved. Metadata is at the front of the file,
//! where a remote reader gets it with one or two requests. A file in pages has raw data behind the pages of metadata.
//! The structures and their parameters are the same as in libhdf5 with compatibility to version 1.8, so that libhdf5
//! can modify the files.

mod btree_v1;
mod btree_v2;
mod bytes;
mod file_writer;
mod heap;
mod kept;
mod layout;
mod messages;
mod metadata_run;
mod object;
mod pages;
mod spec;
mod superblock;

pub use bytes::leaves_hole;
pub use file_writer::{FileSettings, FileWriter};
pub use spec::{
    AttributeSpec, Data, DatasetSpec, DatatypeSpec, FileTree, FillSpec, LayoutSpec, LinkSpec, ObjectId,
    ObjectSource, ObjectSpec, ObjectSpecKind, Payload, Sequences,
};
