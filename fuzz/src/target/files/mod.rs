//! Targets whose input is a file: it is opened, read whole, checked and copied.
//!
//! `dataset.rs` reads all of an open dataset, and `copy.rs` copies it; the others use both.

pub(super) mod archive;
pub(super) mod copy;
pub(super) mod dataset;
pub(super) mod elsewhere;
pub(super) mod hdf5;
pub(super) mod job;
pub(super) mod proof;
pub(super) mod verbatim;
