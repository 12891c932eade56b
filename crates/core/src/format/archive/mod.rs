//! The compressed netCDF-3 archive: a classic file in compressed blocks, which can be read at random and restored byte for
//! byte.
//!
//! ```text
//! │ front: prelude, header, table of streams │ block │ block │ … │ end │ back: indexes, directory, SHA-256, footer │
//!
//! classic file ─► pack ─► archive ─┬─► restore: the file again, from its start to its end
//!                                  ├─► random_access: a Reader
//!                                  └─► check: findings, salvage
//! ```
//!
//! All of them use `structure` (the parts of the file), `index` (where blocks are) and `shares` (memory). `copy/archive` decides which copies
//! are made by bytes alone.
//!
//! Format: `docs/formats/nc3z.md`.

mod check;
mod index;
mod pack;
mod random_access;
mod restore;
mod shares;
mod stream_names;
mod structure;

pub use check::check_archive::{check, verify};
pub use check::finding::Finding;
pub use check::salvage::{LostRange, Salvaged, salvage};
pub use pack::pack_file::{PackOptions, Packed, pack};
pub use pack::plan::{Blocks, DEFAULT_BLOCK};
pub use pack::repack::{Change, repack};
pub use pack::writer::ArchiveWriter;
pub(in crate::format) use pack::writer::as_original;
pub use random_access::reader::ArchiveReader;
pub use restore::restore_file::{kind_of_stream, restore, restore_object};
pub use structure::filter::{Filter, Filters, MOST_FILTERS};
pub(crate) use structure::front::MAGIC;
pub use structure::front::is_archive;
pub use structure::streams::LARGEST_BLOCK;

#[cfg(test)]
mod tests;
