//! `nccopy`: its arguments, its locations, its modes, and what it prints. A library, so that `ncutils` runs it too.
//!
//! ```text
//! run ─┬─► job_calls: a call that names the file of a job ─► its plan has the arguments ─┐
//!      └─► arguments ◄───────────────────────────────────────────────────────────────────┘
//!              └─► copy ─┬─► modes::append, modes::join
//!                        ├─► modes::copy: one input
//!                        └─► many: several inputs ─► modes::copy, one after another or at once
//! modes ─► locations, the copy engine of the library ─► print
//! ```
//!
//! Parts of the arguments are `files`, `asked_kind`, `reference_names` and `job_step`. `job_calls` are calls on a job that exists;
//! `modes/job_steps` is what the copy does in such a call, or with `--plan`.

pub mod arguments;
mod asked_kind;
mod copy;
pub mod files;
mod job_calls;
pub mod job_step;
pub mod locations;
pub mod many;
pub mod modes;
mod print;
mod reference_names;
mod run;

pub use run::main;
