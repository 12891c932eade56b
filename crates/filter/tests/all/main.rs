//! The integration tests of the crate, in one program, which is linked once.
//!
//! `cargo test -p ncutils-filter --test all zarr_codecs::` runs the tests of one module.

mod filters;
mod filters_page;
mod zarr3_codecs;
mod zarr_codecs;
mod zfp;
