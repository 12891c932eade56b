//! Fuzz targets: all parsers of external bytes or text, each as a function of one input.
//!
//! A target fails by a panic, or by exceeding the caller's limits of time or memory.

mod archive;
mod cdl;
mod copy;
mod dataset;
mod elsewhere;
mod filters;
mod hdf5;
mod key_list;
mod part;
mod proof;
mod remote;
mod text;
mod verbatim;
mod zarr;
mod zarr3;
mod zip;

use std::path::Path;

use crate::Seed;
use crate::seed::files;

/// A fuzz target.
pub struct Target {
    /// Its name on the command line, and of the folder with inputs that it once failed on.
    pub name: &'static str,
    /// Runs it on an input.
    pub run: fn(&[u8]),
    seeds: fn(&Path) -> Vec<Seed>,
}

/// All targets.
pub const TARGETS: [Target; 19] = [
    Target {
        name: "hdf5",
        run: hdf5::walk,
        seeds: hdf5_files,
    },
    Target {
        name: "netcdf4",
        run: dataset::read_all,
        seeds: hdf5_files,
    },
    Target {
        name: "classic",
        run: dataset::read_all,
        seeds: classic_files,
    },
    Target {
        name: "archive",
        run: archive::read,
        seeds: archive::seeds,
    },
    Target {
        name: "copy",
        run: copy::copy,
        seeds: any_files,
    },
    Target {
        name: "elsewhere",
        run: elsewhere::read_and_copy,
        seeds: elsewhere::seeds,
    },
    Target {
        name: "verbatim",
        run: verbatim::copy,
        seeds: hdf5_files,
    },
    Target {
        name: "verbatim-salvage",
        run: verbatim::salvage,
        seeds: hdf5_files,
    },
    Target {
        name: "proof",
        run: proof::check_and_salvage,
        seeds: any_files,
    },
    Target {
        name: "filter",
        run: filters::decode,
        seeds: filters::seeds,
    },
    Target {
        name: "filter-spec",
        run: text::filter_spec,
        seeds: text::filter_specs,
    },
    Target {
        name: "chunk-spec",
        run: text::chunk_spec,
        seeds: text::chunk_specs,
    },
    Target {
        name: "part",
        run: part::choose,
        seeds: part::seeds,
    },
    Target {
        name: "cdl",
        run: cdl::read,
        seeds: cdl::seeds,
    },
    Target {
        name: "zarr",
        run: zarr::read,
        seeds: zarr::seeds,
    },
    Target {
        name: "zarr3",
        run: zarr3::documents,
        seeds: zarr3::seeds,
    },
    Target {
        name: "shard",
        run: zarr3::shards,
        seeds: zarr3::shard_seeds,
    },
    Target {
        name: "zip",
        run: zip::read,
        seeds: zip::seeds,
    },
    Target {
        name: "remote",
        run: remote::settings,
        seeds: remote::seeds,
    },
];

impl Target {
    /// The seeds. Files come from `testdata` below the project's folder `root`, and from the corpus beside `root` if it
    /// exists.
    pub fn seeds(&self, root: &Path) -> Vec<Seed> {
        (self.seeds)(root)
    }
}

const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

fn hdf5_files(root: &Path) -> Vec<Seed> {
    below(root, |bytes| {
        [0, 512, 1024, 2048].iter().any(|at| {
            bytes
                .get(*at..)
                .is_some_and(|rest| rest.starts_with(HDF5_SIGNATURE))
        })
    })
}

fn classic_files(root: &Path) -> Vec<Seed> {
    below(root, |bytes| bytes.starts_with(b"CDF"))
}

fn any_files(root: &Path) -> Vec<Seed> {
    let mut seeds = hdf5_files(root);
    seeds.extend(classic_files(root));
    seeds
}

fn below(root: &Path, take: impl Fn(&[u8]) -> bool + Copy) -> Vec<Seed> {
    let mut seeds = files(&root.join("testdata"), take);
    seeds.extend(files(&root.join("../shared/corpus"), take));
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate;

    #[test]
    fn every_target_takes_its_seeds_and_some_mutants() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for target in TARGETS {
            let seeds = files(&root.join("testdata"), |_| true);
            let seeds = if target.name.ends_with("spec")
                || ["archive", "elsewhere", "cdl", "zarr", "zarr3", "shard", "remote"].contains(&target.name)
            {
                target.seeds(&root)
            } else {
                seeds
            };
            assert!(!seeds.is_empty(), "{}", target.name);
            for number in 0..200 {
                (target.run)(&mutate::input(&seeds, 0, number));
            }
        }
    }

    /// Inputs that failed once, kept as `testdata/fuzz/TARGET/WHAT`.
    #[test]
    fn what_failed_once_fails_no_more() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/fuzz");
        for target in TARGETS {
            for seed in files(&folder.join(target.name), |_| true) {
                (target.run)(&seed.bytes);
            }
        }
    }
}
