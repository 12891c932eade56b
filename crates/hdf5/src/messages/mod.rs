//! Parsers of object header messages (specification section IV.A.2), one file for each type.
//!
//! `decode` takes a cursor over the message's data, in which a shared message has been resolved. Messages about the
//! header itself (continuation, shared messages) are in [`object_header`](crate::object_header).

pub(crate) mod attribute;
pub(crate) mod dataset;
pub(crate) mod dense_storage;
pub(crate) mod group;
pub(crate) mod superblock_extension;
