//! The options of the three programs, each defined once, as a row of a table.
//!
//! ```text
//! kinds, mode ─► opt: a row                      ┌─► command  clap's parser, --help=all, man pages, completions
//!                                                ├─► help     --help
//!                                                ├─► refusal  what is printed in place of a run: help, version, what is wrong
//!                └─► shared ─► nccopy, ncdump, ──┼─► given    options of a call that its mode does not apply
//!                              ncgen: Program ───┼─► names    errors of the libraries, with names of options
//!                                                └─► guide_page   the lists in docs/reference
//! ```
//!
//! `nccopy/` has a file for each group of nccopy's rows. Each program reads the values by their names in its `arguments.rs`, by
//! [`values`](crate::values). `docs/contributing/add-an-option.md` tells how to add one.

mod command;
mod given;
mod guide_page;
mod help;
mod kinds;
mod mode;
mod names;
mod nccopy;
mod ncdump;
mod ncgen;
mod opt;
mod program;
mod refusal;
mod shared;

pub use given::Given;
pub use mode::Mode;
pub use nccopy::NCCOPY;
pub use ncdump::NCDUMP;
pub use ncgen::NCGEN;
pub use opt::{Opt, Value};
pub use program::Program;
pub use refusal::{Instead, refused};
