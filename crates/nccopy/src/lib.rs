//! The command line of `nccopy`: flags and what they mean. The binary runs them; the man page is made from them.

pub mod flags;
pub mod plan_text;
pub mod summary;
mod table;
