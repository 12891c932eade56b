//! `nccopy`: its arguments, its locations, its modes, and what it prints. A library, so that `ncutils` runs it too.
//!
//! ```text
//! run: files ─► arguments ─┬──────────────────────────────► locations ─► modes ─► print
//!                          └─► many: each of several inputs ─┘
//! ```

pub mod arguments;
pub mod files;
pub mod locations;
pub mod many;
pub mod modes;
mod print;
mod run;

pub use run::main;
