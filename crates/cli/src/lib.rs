//! Code shared by the programs of ncutils: allocator, common options, log, progress bar, signals and exit status.

pub mod allocator;
pub mod data_access;
pub mod filters;
pub mod kind_option;
mod log;
pub mod memory;
mod option_names;
pub mod options;
pub mod part;
mod program;
pub mod progress;
pub mod remote;
pub mod replace;
pub mod signals;
pub mod string_length;

pub use option_names::name_options;
pub use program::{run, run_for_status, run_or_fail_with};
