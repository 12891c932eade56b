//! The command line of `ncdump`: definitions of its flags, for the program and the man page.

pub mod flags;
