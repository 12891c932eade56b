//! Fuzz targets and their inputs.
//!
//! ```text
//! testdata, corpus ─► seed ─► mutate(seed, number) ─► input ─► target: parse it, read all of it, use it
//! ```
//!
//! `cargo xtask fuzz` runs all [`TARGETS`] on any stable toolchain, each input within limits of time and memory.
//! `fuzz/guided` runs the same targets under a coverage-guided fuzzer. An input depends only on the seeds and two
//! numbers, so a run can be repeated.

pub mod mutate;
mod seed;
mod target;

pub use seed::{MAX_SEED_BYTES, Seed};
pub use target::{FuzzTarget, TARGETS};
