//! The command line of `nccopy`: definitions of its flags, for the program and the man page, its places, and what it prints.

pub mod flags;
pub mod hdf5;
pub mod locations;
pub mod plan_text;
pub mod summary;
mod table;
