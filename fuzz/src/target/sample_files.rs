//! Seeds that are files: those of `testdata`, and of the corpus if it is there.

use std::path::Path;

use crate::Seed;
use crate::seed::files;

/// The first bytes of an HDF5 file.
pub(super) const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// HDF5 files, with user blocks too.
pub(super) fn hdf5_files(root: &Path) -> Vec<Seed> {
    below(root, |bytes| {
        [0, 512, 1024, 2048].iter().any(|at| {
            bytes
                .get(*at..)
                .is_some_and(|rest| rest.starts_with(HDF5_SIGNATURE))
        })
    })
}

/// Files of the classic formats.
pub(super) fn classic_files(root: &Path) -> Vec<Seed> {
    below(root, |bytes| bytes.starts_with(b"CDF"))
}

/// Both.
pub(super) fn any_files(root: &Path) -> Vec<Seed> {
    let mut seeds = hdf5_files(root);
    seeds.extend(classic_files(root));
    seeds
}

/// The files below `root` that `take` chooses by their bytes.
pub(super) fn below(root: &Path, take: impl Fn(&[u8]) -> bool + Copy) -> Vec<Seed> {
    let mut seeds = files(&root.join("testdata"), take);
    seeds.extend(files(&root.join("../shared/corpus"), take));
    seeds
}
