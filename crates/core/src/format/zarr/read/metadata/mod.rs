//! What both versions need on the way from documents to the schema.
//!
//! ```text
//! metadata_store: documents ─► hierarchy of v2 or v3 ─► schema of v2 or v3 ─► built
//!                                ▲                        ▲
//!                          implicit_groups          named_dimensions, user_types
//! ```

pub(super) mod built;
pub(super) mod implicit_groups;
pub(super) mod metadata_store;
pub(super) mod named_dimensions;
pub(super) mod user_types;
