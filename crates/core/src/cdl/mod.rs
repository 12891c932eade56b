//! CDL, the text form of netCDF, as input. It is printed by [`print`](mod@crate::print).
//!
//! ```text
//! text ─► read: CdlReader ─┬─► copy::plan::prepare, copy::run ─► Writer
//!                          └─► program: a C or Fortran program that makes the dataset (`ncgen -l`)
//! ```
//!
//! Only ncgen opens a text. `round_trip` has tests that print random datasets and read them back.

pub mod program;
pub mod read;

#[cfg(test)]
mod round_trip;
