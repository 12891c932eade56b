//! Writing files.

mod file_writer;
mod spec;

pub use file_writer::FileWriter;
pub use spec::{
    AttributeSpec, Data, DatasetSpec, DatatypeSpec, FileTree, FillSpec, LayoutSpec, ObjectId, ObjectSpec,
    ObjectSpecKind,
};
