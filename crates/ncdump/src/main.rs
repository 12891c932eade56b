//! `ncdump`: under construction.
fn main() {}
