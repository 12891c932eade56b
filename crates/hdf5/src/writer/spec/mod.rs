//! The description of a file that is to be written: its objects, and the data of their attributes and fill values.

mod check;
mod data;
mod object_id;
mod objects;

pub(super) use check::{check, path};
pub use data::{Data, Payload, Sequences};
pub use object_id::ObjectId;
pub use objects::{
    AttributeSpec, DatasetSpec, DatatypeSpec, FileTree, FillSpec, LayoutSpec, LinkSpec, ObjectSource,
    ObjectSpec, ObjectSpecKind,
};
