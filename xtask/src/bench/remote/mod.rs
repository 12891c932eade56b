//! Benchmarks of remote stores: our programs on s3s-fs behind a proxy that makes each request wait, in turn with peers in the same run.
//!
//! Peers are packages of Python: netCDF4-python by byte ranges, h5py and zarr-python over s3fs. One that takes longer than
//! `LONGEST` is stopped, and its ratio is a lower bound.
//!
//! Each row says what is wanted of it: a ratio to a peer or to one request at a time, a number of requests, a time, memory with
//! `-m 64M`. What is missed is marked `SHORT`.

pub mod dap;
mod line;
mod rows;
mod run;

pub use line::{Counts, Line};
pub use run::{Tools, run};
