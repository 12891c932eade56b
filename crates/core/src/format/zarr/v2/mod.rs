//! Zarr version 2, with netCDF's own keys (NCZarr) or without them.
//!
//! ```text
//! keys ─► read: hierarchy, schema ─► ZarrReader ─► Schema, layouts, chunks
//! Schema, plans ─► write: check, documents ─► ZarrWriter ◄─ chunks
//!
//! both:  fill_value: a member of `.zarray`
//! ```
//!
//! The [reader](super::read) and the [writer](super::write) serve both versions. What differs is the metadata, and version 2
//! has no shards.

mod fill_value;
mod read;
mod write;

pub use read::{open, open_damaged};
pub use write::{check, check_plans, create, documents, warnings};
