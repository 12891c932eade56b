//! `cargo xtask`: under construction.
fn main() {}
