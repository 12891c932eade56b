//! The Link Info and Attribute Info messages (specification sections IV.A.2.c and IV.A.2.v).

use crate::error::Result;
use crate::metadata::Cursor;

/// Storage of a group's links, or of an object's attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DenseStorage {
    /// True if the items have a creation order.
    pub(crate) creation_order_tracked: bool,
    /// Address of the fractal heap of the items; `None` if they are messages in the object header.
    pub(crate) heap: Option<u64>,
    /// Address of the version 2 B-tree of items by name.
    pub(crate) name_index: Option<u64>,
    /// Address of the version 2 B-tree of items by creation order.
    pub(crate) order_index: Option<u64>,
}

impl DenseStorage {
    /// Parses a Link Info message.
    pub(crate) fn of_links(message: &mut Cursor<'_>) -> Result<Self> {
        Self::decode(message, 8)
    }

    /// Parses an Attribute Info message.
    pub(crate) fn of_attributes(message: &mut Cursor<'_>) -> Result<Self> {
        Self::decode(message, 2)
    }

    /// The messages differ in the bytes of the largest creation order so far, which only writers need.
    fn decode(message: &mut Cursor<'_>, largest_order: usize) -> Result<Self> {
        message.version(0)?;
        let flags = message.u8()?;
        let creation_order_tracked = flags & 1 != 0;
        if creation_order_tracked {
            message.skip(largest_order)?;
        }
        Ok(Self {
            creation_order_tracked,
            heap: message.offset()?,
            name_index: message.offset()?,
            order_index: match flags & 2 != 0 {
                true => message.offset()?,
                false => None,
            },
        })
    }
}
