//! `ncgen`: its arguments, the names of its outputs, and its run. A library, so that `ncutils` runs it too.

pub mod arguments;
pub mod language;
pub mod output_name;
mod run;

pub use run::main;
