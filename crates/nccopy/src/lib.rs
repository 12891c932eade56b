//! `nccopy`: its arguments, its locations, its modes, and what it prints. A library, so that `ncutils` runs it too.
//!
//! ```text
//! run ─┬─► arguments ◄────────────────────────────────────┐
//!      │        └─► copy ─┬─► many: each of several inputs ─┬─► locations ─► modes ─► print
//!      │                  └─────────────────────────────────┘
//!      └─► job_calls: a call that names the file of a job, whose plan has the arguments
//! ```

pub mod arguments;
mod asked_kind;
mod copy;
pub mod files;
mod job_calls;
pub mod locations;
pub mod many;
pub mod modes;
mod print;
mod reference_names;
mod run;
pub mod step;

pub use run::main;
