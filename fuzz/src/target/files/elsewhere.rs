//! Fuzzes data in other files: lists of external files, mappings of virtual datasets, and their selections.
//!
//! Any file that an input names is the input itself. What opens is read and copied.

use std::path::Path;

use super::super::sample_files::HDF5_SIGNATURE;
use super::{copy, dataset};
use crate::Seed;
use crate::seed::files;

/// Reads a file, and copies it.
pub fn read_and_copy(input: &[u8]) {
    dataset::read_all(input);
    copy::copy(input);
}

/// Seeds: small files whose variables are external and virtual, with mappings of all versions and selections.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let has_signature = |bytes: &[u8]| bytes.starts_with(HDF5_SIGNATURE);
    ["testdata/elsewhere", "crates/hdf5/tests/data/elsewhere"]
        .iter()
        .flat_map(|folder| files(&root.join(folder), has_signature))
        .collect()
}
