//! Values of options that several programs have, parsed.
//!
//! ```text
//! clap's ArgMatches ─► text ─► kind, memory, subset, data_access, remote, string_length ─► requests of the library
//! ```

pub mod data_access;
pub mod kind;
pub mod memory;
pub mod remote;
pub mod string_length;
pub mod subset;
pub mod text;
