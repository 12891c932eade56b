//! `ncdump`: its arguments, its input, and what it prints and proves. A library, so that `ncutils` runs it too.
//!
//! ```text
//! run: arguments ─► input ─► print, prove, sizes, map
//! ```

pub mod arguments;
mod input;
mod map;
mod print;
mod prove;
mod run;
mod sizes;

pub use run::main;
