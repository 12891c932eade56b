//! Reading heaps (specification sections III.D to III.G), which store data of variable size. Writing is in `writer/heap`.
//!
//! - [`local`]: names of links in old-style groups;
//! - [`global`]: elements of variable-length data, and references to regions;
//! - [`fractal`]: shared messages, and the links and attributes of objects with many of them.

pub(crate) mod fractal;
pub(crate) mod global;
pub(crate) mod local;
pub(crate) mod read_limit;
