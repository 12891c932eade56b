//! The command line of `ncgen`: flags and what they mean. The binary runs them; the man page is made from them.

pub mod flags;
pub mod language;
pub mod output_name;
