//! Writing: objects that go up while they are written, and requests for many objects.
//!
//! ```text
//! ObjectOutput ─► Upload ─► PartTable: parts that lack bytes ─► multipart upload ─┐
//! StagedObject: the same under a longer key, copied when it was read              ├─► Sending: memory, failures ─► Session
//! TreeObjects: put, list, copy, delete below a prefix ────────────────────────────┘
//! ```

mod multipart_upload;
mod object_output;
mod objects;
mod part_table;
mod sending;
mod staged_object;
mod value;

pub(crate) use multipart_upload::{LONGEST_STOP, Upload};
pub use object_output::ObjectOutput;
pub(crate) use objects::{Listed, TreeObjects};
#[cfg(test)]
pub(crate) use part_table::PartSizes;
pub use staged_object::StagedObject;
