//! What the command lines of the programs share: the table of options, values of options, and a run from its arguments to its exit
//! status.

pub mod allocator;
pub mod arguments;
pub mod columns;
pub mod completion;
pub mod filters;
mod log;
pub mod messages;
pub mod options;
mod output;
mod panics;
pub mod progress;
pub mod python;
mod run;
pub mod signals;
mod terminal;
pub mod values;
pub mod version;

pub use output::{print, stdout};
pub use run::{error_text, is_broken_pipe, run, run_or_fail_with};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
