//! The modes of nccopy.
//!
//! ```text
//! bytes            -k zst, --restore of a pipe
//! hdf5             -k h5
//! salvage_archive  --salvage of an archive
//! dataset ─┬─► bytes               archives and classic files of which nothing changes
//!          └─► salvage ─► values   everything else
//!                 └─► salvage_report
//!
//! hdf5, values ─► engine: the copy engine of the library
//! ```

pub mod bytes;
pub mod dataset;
mod engine;
pub mod hdf5;
mod salvage;
pub mod salvage_archive;
mod salvage_report;
mod unfinished;
mod values;
