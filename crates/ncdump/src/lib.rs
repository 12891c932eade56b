//! `ncdump`: its arguments, its input, and what it prints and proves. A library, so that `ncutils` runs it too.
//!
//! ```text
//! run: arguments ─► input ─► print, prove
//! ```

pub mod arguments;
mod input;
mod print;
mod prove;
mod run;

pub use run::main;
