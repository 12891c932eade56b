//! What is fuzzed, and with which inputs.
//!
//! ```text
//! testdata, corpus ─► seed ─► mutate(seed, number) ─► input ─► target: parse it, read all of it, use it
//! ```
//!
//! `cargo xtask fuzz` runs every [`TARGETS`] on any stable toolchain, each input within limits of time and memory. The
//! same targets stand under a coverage-guided fuzzer in `fuzz/guided`. An input is a pure function of the seeds and
//! two numbers, so that a run can be repeated.

pub mod mutate;
mod seed;
mod target;

pub use seed::{MAX_SEED_BYTES, Seed};
pub use target::{TARGETS, Target};
