//! The Symbol Table message (specification section IV.A.2.r): where an old-style group has its links.

use crate::error::Result;
use crate::reader::bytes::Cursor;

/// Addresses of the structures of an old-style group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SymbolTable {
    /// The version 1 B-tree of symbol table nodes.
    pub(crate) btree: u64,
    /// The local heap of the names.
    pub(crate) heap: u64,
}

impl SymbolTable {
    /// Reads the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self {
            btree: message.defined_offset()?,
            heap: message.defined_offset()?,
        })
    }
}
