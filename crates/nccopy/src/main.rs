//! `nccopy`: under construction.
fn main() {}
