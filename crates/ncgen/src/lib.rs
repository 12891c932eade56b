//! The command line of `ncgen`: definitions of its flags, for the program and the man page.

pub mod flags;
pub mod language;
pub mod output_name;
