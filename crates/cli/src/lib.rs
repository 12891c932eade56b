//! What the command lines of ncutils share: options that more than one program has, and how a program ends.

pub mod kind_option;
pub mod memory;
pub mod options;
mod program;
pub mod signals;

pub use program::run;
