//! The modes of nccopy.
//!
//! ```text
//! choose ─► one of these:
//!
//! bytes            -k zst, --restore of a pipe
//! hdf5             -k h5
//! salvage/archive  --salvage of an archive
//! dataset ─┬─► bytes               archives and classic files of which nothing changes
//!          └─► salvage ─► values   everything else
//!                 └─► salvage/report
//!
//! join ─► values         --join, --merge: one dataset of several inputs
//! append ─► engine       --append: a dataset that exists grows where it is
//!    └────► join         … or is written anew
//!
//! values ─► planned ─► job_steps: a step of a job of many processes
//!
//! hdf5, values ─► engine: the copy engine of the library ◄─ without_effect: options that change nothing
//! ```

pub mod append;
mod bytes;
mod choose;
mod copy_of;
pub(crate) mod dataset;
mod engine;
mod hdf5;
pub(crate) mod job_steps;
pub mod join;
pub(crate) mod planned;
mod salvage;
mod unfinished;
pub(crate) mod values;
mod without_effect;

pub use choose::copy;
