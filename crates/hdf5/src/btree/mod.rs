//! B-trees (specification section III.A).
//!
//! [`v1`] trees find the symbol table nodes of old-style groups and the chunks of old-style datasets; [`v2`] trees
//! hold fixed-size [`record`]s: links, attributes, shared messages, huge heap objects and chunks.
//!
//! Nothing here searches a tree: every use of this crate wants all that a tree holds, so a tree is walked once, in
//! key order, with a callback for what it holds.

pub(crate) mod record;
pub(crate) mod v1;
pub(crate) mod v2;
