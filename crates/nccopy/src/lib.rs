//! The command line of `nccopy`: definitions of its flags, for the program and the man page.

pub mod flags;
