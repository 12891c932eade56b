//! B-trees (specification section III.A).
//!
//! [`v1`] trees index the symbol table nodes of old-style groups and the chunks of old-style datasets. [`v2`] trees
//! hold fixed-size [`record`]s: links, attributes, shared messages, huge heap objects and chunks.
//!
//! No tree is searched. Every caller needs all entries of a tree, so it is walked once, in key order, with a callback
//! for each entry.

pub(crate) mod loose_node;
pub(crate) mod record;
pub(crate) mod v1;
pub(crate) mod v2;
mod v2_node;
