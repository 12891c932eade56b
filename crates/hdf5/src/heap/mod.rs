//! Heaps (specification sections III.D to III.G): where a file keeps what has no fixed size.
//!
//! - [`local`]: names of links in old-style groups;
//! - [`global`]: elements of variable-length data, and references to regions;
//! - [`fractal`]: links and attributes of objects that have many, and shared messages.

pub(crate) mod budget;
pub(crate) mod doubling_table;
pub(crate) mod fractal;
pub(crate) mod global;
pub(crate) mod local;
