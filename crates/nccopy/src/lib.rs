//! `nccopy`: its arguments, its locations, its modes, and what it prints.
//!
//! ```text
//! arguments ─► locations ─► modes ─► print
//! ```

pub mod arguments;
pub mod locations;
pub mod modes;
mod print;
