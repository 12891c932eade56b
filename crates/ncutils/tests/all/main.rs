//! The integration tests of the program.

mod exports;
mod names;
