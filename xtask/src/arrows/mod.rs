//! `cargo xtask arrows`: finds circles of files, arrows to higher layers, folders with too many files, and code that
//! distinguishes kinds of datasets.
//!
//! ```text
//! sources ─► source: modules, `use`, paths ─► resolve: file ─► file ─┬─► cycles: none
//!                                                                    └─► layers: none goes up
//! sources ─► kinds: none is told from another
//! files ─► folders: at most 15 in each
//! ```
//!
//! An arrow is a path in a `use` or in code. It leads to the file that defines the name, through re-exports, those of whole
//! crates too. Code for tests is ignored.

mod cycles;
mod folders;
mod kinds;
mod layers;
mod report;
mod resolve;
mod source;

pub use report::run;
