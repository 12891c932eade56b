//! The Object Header Continuation message (specification section IV.A.2.q).

use crate::error::Result;
use crate::metadata::Cursor;

/// Position of a further block of an object header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Continuation {
    /// Address of the block.
    pub(crate) address: u64,
    /// Size of the block in bytes, including signature and checksum.
    pub(crate) length: u64,
}

impl Continuation {
    /// Parses the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self {
            address: message.defined_offset()?,
            length: message.length()?,
        })
    }
}
