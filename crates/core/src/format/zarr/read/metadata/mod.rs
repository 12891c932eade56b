//! Metadata of a hierarchy: from its documents to the schema and the storage of each variable.
//!
//! ```text
//! metadata_store: documents ─► hierarchy: groups, arrays ─► schema ◄─ array_metadata, named_dimensions
//!                              ▲                                    ▲
//!                        implicit_groups          element_type ◄─ structure
//! ```

pub(super) mod array_metadata;
pub(super) mod built;
pub(super) mod element_type;
pub(super) mod hierarchy;
pub(super) mod implicit_groups;
pub(super) mod metadata_store;
pub(super) mod named_dimensions;
pub(super) mod schema;
mod structure;
pub(super) mod user_types;
