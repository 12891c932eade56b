//! Packing: a classic file, or another archive, becomes an archive.
//!
//! ```text
//! file ─► plan: streams ─► choose_filters, by samples ─► front
//!   └──► scan, in the order of `order` ─► blocks ─► encoded on all threads ─► emit, in order ─► indexes, footer
//! archive ─► repack: the same from the blocks of an archive
//! schema, data ─► writer: the classic file first, without a name; then packed
//! ```

mod choose_filters;
mod emit;
mod order;
pub(super) mod pack_file;
pub(super) mod plan;
pub(super) mod repack;
mod scan;
pub(super) mod writer;
