//! Writing files, in two phases.
//!
//! ```text
//! ObjectSource ─► check ─► layout (sizes and addresses of all metadata) ─► FileWriter
//!       └────────────────────────────────────────────► objects, global heap ◄─┤
//!   reserve_chunk, insert_sequences: addresses at the end of the file ◄───────┤
//!   write_at, write_storage: bytes, from any thread                   ◄───────┤
//!   finish: chunk indexes, superblock                                 ◄───────┘
//! ```
//!
//! All objects are known first, so that references between objects can be resolved, and metadata lies at the front
//! of the file, where a remote reader gets it with one or two requests. Structures are those that libhdf5 writes
//! when asked for files that its version 1.8 can read, with the parameters it gives them, so that it can change what is
//! written here.

mod btree_v2;
mod bytes;
mod check;
mod chunk_index;
mod dense;
mod file_writer;
mod fractal_heap;
mod global_heap;
mod layout;
mod messages;
mod object_header;
mod sequences;
mod spec;
mod superblock;

pub use file_writer::FileWriter;
pub use sequences::{Payload, Sequences};
pub use spec::{
    AttributeSpec, Data, DatasetSpec, DatatypeSpec, FileTree, FillSpec, LayoutSpec, ObjectId, ObjectSource,
    ObjectSpec, ObjectSpecKind,
};
