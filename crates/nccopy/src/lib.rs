//! The command line of `nccopy`: definitions of its flags, for the program and the man page.

pub mod flags;
pub mod plan_text;
pub mod summary;
mod table;
