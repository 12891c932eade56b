//! The Attribute Info message (specification section IV.A.2.v).

use crate::error::Result;
use crate::metadata::Cursor;

/// Storage of an object's attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttributeInfo {
    /// True if attributes have a creation order.
    pub(crate) creation_order_tracked: bool,
    /// Address of the fractal heap of the attributes; `None` if they are messages in the object header.
    pub(crate) heap: Option<u64>,
    /// Address of the version 2 B-tree of attributes by name.
    pub(crate) name_index: Option<u64>,
    /// Address of the version 2 B-tree of attributes by creation order.
    pub(crate) order_index: Option<u64>,
}

impl AttributeInfo {
    /// Parses the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        message.version(0)?;
        let flags = message.u8()?;
        let creation_order_tracked = flags & 1 != 0;
        if creation_order_tracked {
            message.skip(2)?; // the largest creation order so far: for writers
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
