//! The Link Info message (specification section IV.A.2.c).

use crate::error::Result;
use crate::metadata::Cursor;

/// Storage of a group's links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkInfo {
    /// True if links have a creation order.
    pub(crate) creation_order_tracked: bool,
    /// Address of the fractal heap of the links; `None` if they are messages in the object header.
    pub(crate) heap: Option<u64>,
    /// Address of the version 2 B-tree of links by name.
    pub(crate) name_index: Option<u64>,
    /// Address of the version 2 B-tree of links by creation order.
    pub(crate) order_index: Option<u64>,
}

impl LinkInfo {
    /// Parses the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        message.version(0)?;
        let flags = message.u8()?;
        let creation_order_tracked = flags & 1 != 0;
        if creation_order_tracked {
            message.skip(8)?; // the largest creation order so far: for writers
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
