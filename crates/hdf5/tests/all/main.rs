//! The integration tests of the crate, in one program, which is linked once.
//!
//! `cargo test -p ncutils-hdf5 --test all written::` runs the tests of one module.

mod broken;
mod chunk_indexes;
mod dense;
mod elsewhere;
mod library_use;
mod space;
mod structure;
mod tree;
mod written;
