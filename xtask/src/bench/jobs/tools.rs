//! [`Tools`]: what the benchmarks run, and where.

use std::path::PathBuf;

/// What the benchmarks run, and where.
pub struct Tools {
    /// The folder of our programs.
    pub binaries: PathBuf,
    /// A Python interpreter with the packages of `tests/interop/requirements.txt`.
    pub python: PathBuf,
    /// The folder of the data.
    pub data: PathBuf,
}
