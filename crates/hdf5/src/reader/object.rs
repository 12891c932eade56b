//! [`Object`]: an object header and its kind.

use crate::object_header::ObjectHeader;
use crate::object_header::message_type;

/// An object of a file, with its header's messages.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Object {
    /// Address of its object header, which identifies it.
    pub address: u64,
    /// Its kind.
    pub kind: ObjectKind,
    pub(crate) header: ObjectHeader,
}

/// Kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObjectKind {
    /// A group, which has links.
    Group,
    /// A dataset, which has elements.
    Dataset,
    /// A committed datatype.
    NamedDatatype,
    /// The messages do not match any kind.
    Unknown,
}

impl Object {
    /// A group without a header.
    pub(crate) fn group(address: u64) -> Self {
        Self {
            address,
            kind: ObjectKind::Group,
            header: ObjectHeader::empty(),
        }
    }

    pub(crate) fn new(address: u64, header: ObjectHeader) -> Self {
        let has = |kind| header.first(kind).is_some();
        let kind = if has(message_type::SYMBOL_TABLE) || has(message_type::LINK_INFO) {
            ObjectKind::Group
        } else if has(message_type::DATATYPE) && has(message_type::DATASPACE) {
            ObjectKind::Dataset
        } else if has(message_type::DATATYPE) {
            ObjectKind::NamedDatatype
        } else {
            ObjectKind::Unknown
        };
        Self {
            address,
            kind,
            header,
        }
    }
}
