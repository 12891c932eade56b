//! The Object Header Continuation message (specification section IV.A.2.q).

use crate::error::Result;
use crate::reader::bytes::Cursor;

/// Where an object header goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Continuation {
    /// Address of the block.
    pub(crate) address: u64,
    /// Bytes of the block, signature and checksum included.
    pub(crate) length: u64,
}

impl Continuation {
    /// Reads the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self {
            address: message.defined_offset()?,
            length: message.length()?,
        })
    }
}
