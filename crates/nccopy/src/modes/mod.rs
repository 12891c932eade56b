//! The modes of nccopy.
//!
//! ```text
//! choose ─► one of these:
//!
//! bytes            -k zst, --restore of a pipe
//! hdf5             -k h5
//! salvage_archive  --salvage of an archive
//! dataset ─┬─► bytes               archives and classic files of which nothing changes
//!          └─► salvage ─► values   everything else
//!                 └─► salvage_report
//!
//! hdf5, values ─► engine: the copy engine of the library
//! ```

mod bytes;
mod choose;
pub(crate) mod dataset;
mod engine;
mod hdf5;
mod salvage;
mod salvage_archive;
mod salvage_report;
mod unfinished;
pub(crate) mod values;

pub use choose::copy;
