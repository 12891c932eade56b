//! The arguments of `ncdump`.

pub mod arguments;
