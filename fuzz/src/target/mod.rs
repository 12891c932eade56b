//! Fuzz targets: all parsers of external bytes or text, each as a function of one input.
//!
//! A target fails by a panic, or by exceeding the caller's limits of time or memory.

//!
//! ```text
//! all.rs: each target by its name ─┬─► files/     an input is a file
//!                                  ├─► keys/      an input is a list of keys and values, or a zip
//!                                  ├─► texts/     an input is an argument, a CDL text or a file of settings
//!                                  ├─► filters.rs an input is an encoded chunk
//!                                  ├─► planes.rs  an input describes the planes of a chunk
//!                                  └─► inflate.rs an input is a stream of deflate
//! ```

mod all;
mod files;
mod filters;
mod inflate;
mod keys;
mod planes;
mod sample_files;
mod texts;

pub use all::{FuzzTarget, TARGETS};
