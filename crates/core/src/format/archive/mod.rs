//! The compressed netCDF-3 archive: a classic file in compressed blocks, which can be read at random and restored byte for
//! byte.
//!
//! ```text
//! │ front: prelude, header, table of streams │ block │ block │ … │ end │ back: indexes, directory, SHA-256, footer │
//! ```
//!
//! Format: `docs/formats/nc3z.md`.

mod ahead;
mod assemble;
mod back;
mod block;
mod block_cache;
mod blocks;
mod check;
mod choose;
mod emit;
mod entry_store;
mod fields;
mod filter;
mod footer;
mod front;
mod index;
mod index_section;
mod names;
mod opened;
mod order;
mod pack;
mod passing;
mod plan;
mod reader;
mod repack;
mod restore;
mod salvage;
mod scan;
mod scatter;
mod section;
mod shares;
mod streams;
mod writer;

pub use check::{Finding, check, verify};
pub use filter::{Filter, Filters, MOST_FILTERS};
pub(crate) use front::MAGIC;
pub use pack::{PackOptions, Packed, pack};
pub use plan::{Blocks, DEFAULT_BLOCK};
pub use reader::ArchiveReader;
pub use repack::{Change, repack};
pub use restore::{kind_of_stream, restore, restore_object};
pub use salvage::{LostRange, Salvaged, is_archive, salvage};
pub use streams::LARGEST_BLOCK;
pub use writer::ArchiveWriter;
pub(in crate::format) use writer::as_original;

#[cfg(test)]
mod tests;
