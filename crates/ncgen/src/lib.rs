//! The arguments of `ncgen`, and the names of its outputs.

pub mod arguments;
pub mod language;
pub mod output_name;
