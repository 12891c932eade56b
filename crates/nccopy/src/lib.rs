//! `nccopy`: its arguments, its locations, its ways to copy, and what it prints.
//!
//! ```text
//! arguments ─► locations ─► ways ─► print
//! ```

pub mod arguments;
pub mod locations;
mod print;
pub mod ways;
