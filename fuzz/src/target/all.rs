//! All targets, by their names.

use std::path::Path;

use super::files::{archive, copy, dataset, elsewhere, hdf5, job, proof, verbatim};
use super::keys::{dap, references, zarr, zarr3, zip};
use super::sample_files::{any_files, classic_files, hdf5_files};
use super::texts::{cdl, options, part, remote};
use super::{filters, inflate, planes};
use crate::Seed;

/// A fuzz target.
pub struct FuzzTarget {
    /// Its name on the command line, and of the folder with inputs that it once failed on.
    pub name: &'static str,
    /// Runs it on an input.
    pub run: fn(&[u8]),
    seeds: fn(&Path) -> Vec<Seed>,
}

/// All targets.
pub const TARGETS: [FuzzTarget; 29] = [
    FuzzTarget {
        name: "hdf5",
        run: hdf5::walk,
        seeds: hdf5_files,
    },
    FuzzTarget {
        name: "netcdf4",
        run: dataset::read_all,
        seeds: hdf5_files,
    },
    FuzzTarget {
        name: "classic",
        run: dataset::read_all,
        seeds: classic_files,
    },
    FuzzTarget {
        name: "archive",
        run: archive::read,
        seeds: archive::seeds,
    },
    FuzzTarget {
        name: "copy",
        run: copy::copy,
        seeds: any_files,
    },
    FuzzTarget {
        name: "elsewhere",
        run: elsewhere::read_and_copy,
        seeds: elsewhere::seeds,
    },
    FuzzTarget {
        name: "verbatim",
        run: verbatim::copy,
        seeds: hdf5_files,
    },
    FuzzTarget {
        name: "verbatim-salvage",
        run: verbatim::salvage,
        seeds: hdf5_files,
    },
    FuzzTarget {
        name: "proof",
        run: proof::check_and_salvage,
        seeds: any_files,
    },
    FuzzTarget {
        name: "salvage-scan",
        run: proof::scan_and_salvage,
        seeds: hdf5_files,
    },
    FuzzTarget {
        name: "job",
        run: job::job_file,
        seeds: job::job_files,
    },
    FuzzTarget {
        name: "pack",
        run: job::pack_index,
        seeds: job::pack_indexes,
    },
    FuzzTarget {
        name: "kerchunk",
        run: dataset::read_all,
        seeds: dataset::references,
    },
    FuzzTarget {
        name: "parquet",
        run: references::read,
        seeds: references::folders,
    },
    FuzzTarget {
        name: "icechunk",
        run: references::read,
        seeds: references::repositories,
    },
    FuzzTarget {
        name: "filter",
        run: filters::decode,
        seeds: filters::seeds,
    },
    FuzzTarget {
        name: "planes",
        run: planes::round_trip,
        seeds: planes::seeds,
    },
    FuzzTarget {
        name: "inflate",
        run: inflate::compare,
        seeds: inflate::seeds,
    },
    FuzzTarget {
        name: "filter-spec",
        run: options::filter_spec,
        seeds: options::filter_specs,
    },
    FuzzTarget {
        name: "chunk-spec",
        run: options::chunk_spec,
        seeds: options::chunk_specs,
    },
    FuzzTarget {
        name: "part",
        run: part::choose,
        seeds: part::seeds,
    },
    FuzzTarget {
        name: "cdl",
        run: cdl::read,
        seeds: cdl::seeds,
    },
    FuzzTarget {
        name: "zarr",
        run: zarr::read,
        seeds: zarr::seeds,
    },
    FuzzTarget {
        name: "zarr3",
        run: zarr3::documents,
        seeds: zarr3::seeds,
    },
    FuzzTarget {
        name: "shard",
        run: zarr3::shards,
        seeds: zarr3::shard_seeds,
    },
    FuzzTarget {
        name: "zip",
        run: zip::read,
        seeds: zip::seeds,
    },
    FuzzTarget {
        name: "dap2",
        run: dap::dap2,
        seeds: dap::dap2_seeds,
    },
    FuzzTarget {
        name: "dap4",
        run: dap::dap4,
        seeds: dap::dap4_seeds,
    },
    FuzzTarget {
        name: "remote",
        run: remote::settings,
        seeds: remote::seeds,
    },
];

impl FuzzTarget {
    /// The seeds. Files come from `testdata` below the project's folder `root`, and from the corpus beside `root` if it
    /// exists.
    pub fn seeds(&self, root: &Path) -> Vec<Seed> {
        (self.seeds)(root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate;
    use crate::seed::files;

    #[test]
    fn every_target_takes_its_seeds_and_some_mutants() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for target in TARGETS {
            let seeds = files(&root.join("testdata"), |_| true);
            let seeds = if target.name.ends_with("spec")
                || [
                    "archive",
                    "job",
                    "pack",
                    "elsewhere",
                    "kerchunk",
                    "parquet",
                    "icechunk",
                    "cdl",
                    "zarr",
                    "zarr3",
                    "shard",
                    "remote",
                    "planes",
                    "inflate",
                ]
                .contains(&target.name)
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
