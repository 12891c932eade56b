//! The integration tests of the crate, in one program, which is linked once.
//!
//! `cargo test -p ncutils-core --test all zarr3::` runs the tests of one module.

mod classic;
mod failing_store;
mod growth;
mod key_format;
mod netcdf4_read;
mod netcdf4_round_trip;
mod references;
mod remote_requests;
mod slow_records;
mod slow_source;
mod support;
mod zarr;
mod zarr3;
