//! The Symbol Table message (specification section IV.A.2.r): addresses of an old-style group's structures.

use crate::error::Result;
use crate::metadata::Cursor;

/// Addresses of the structures of an old-style group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SymbolTable {
    /// Address of the version 1 B-tree of symbol table nodes.
    pub(crate) btree: u64,
    /// Address of the local heap of names.
    pub(crate) heap: u64,
}

impl SymbolTable {
    /// Parses the message.
    pub(crate) fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self {
            btree: message.defined_offset()?,
            heap: message.defined_offset()?,
        })
    }
}
