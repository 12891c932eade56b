//! The options of nccopy.

mod join;
mod many_files;
mod many_processes;
mod mode_lists;
mod references;
mod safety;
mod selection;
mod storage;

use std::sync::LazyLock;

use self::mode_lists::OF_DATASETS;
use super::mode::Mode::{Bytes, Hdf5, SalvageArchive, Values, Zst};
use super::opt::{Opt, Value};
use super::program::Program;
use super::shared::{accepted, general, memory, other_files, remote, replace, subset, threads};

const EXAMPLES: &str = "\
Examples:
  nccopy -F 'temp,32015,3' in.nc out.nc      compress the variable temp with zstd
  nccopy -F '*,2|1,5' in.nc out.nc           shuffle and deflate every variable
  nccopy -F none in.nc out.nc                take all filters off
  nccopy -d 5 -s -c time/1,lat/90,lon/90 in.nc out.nc
  nccopy -k nc4 -u in.nc out.nc              netCDF-4 with fixed dimensions
  nccopy in.nc 'out.zarr#mode=nczarr,file'   NCZarr in a folder
  nccopy in.nc 'out.zip#mode=zarr,zip'       pure Zarr in a zip file
  nccopy in.nc 'out.zarr#mode=zarr,v3'       Zarr version 3, large variables in shards
  nccopy --shard time/365 in.nc 'out.zarr#mode=zarr,v3'
  nccopy in.zarr out.nc                      netCDF-4 from Zarr
  nccopy in.nc refs.json                     references by which Zarr readers read in.nc
  nccopy -k archive in.nc out.nc3z           a compressed archive of a classic file
  nccopy --restore in.nc3z out.nc            the file that was archived
  nccopy --isel time=-12: in.nc out.nc       the last twelve steps of time
  nccopy --sel lat=-10..10 --sel time=2000-02 in.nc out.nc
  nccopy --verify -d 5 -s in.nc out.nc       compare the output before it takes its name
  nccopy --salvage broken.nc out.nc          all that can be read of a damaged file
  nccopy --dry-run -d 5 -s in.nc out.nc      what this would do, without doing it
  nccopy -d 5 -s *.nc packed/                each file into a folder
  nccopy -d 5 -s --in-place *.nc             replace each file by its copy
";

const USAGE: &[&str] = &[
    "[OPTIONS] INPUT OUTPUT",
    "[OPTIONS] INPUT... FOLDER/",
    "[OPTIONS] --in-place FILE...",
    "[OPTIONS] --recursive FOLDER OUTPUT/",
    "[OPTIONS] --files-from LIST FOLDER/",
    "[OPTIONS] --join DIM INPUT... OUTPUT",
    "[OPTIONS] --append INPUT... OUTPUT",
    "[OPTIONS] --merge INPUT... OUTPUT",
    "[OPTIONS] --plan JOB --parts N INPUT... OUTPUT",
    "--part LIST JOB",
    "--status JOB",
    "--finish JOB",
    "--abandon JOB",
];

const NOTES: &str = "\
Other filters come from plugins of HDF5 in the folders of HDF5_PLUGIN_PATH; 'ncdump --filters' lists all.
A variable that no option names keeps its chunks, filters and fill value; its chunks are copied as they are.";

/// nccopy.
pub static NCCOPY: LazyLock<Program> = LazyLock::new(|| {
    Program {
    name: "nccopy",
    about: "Copies a netCDF or HDF5 file, changing its kind, chunk shapes or filters on the way",
    groups: vec![
        ("What to copy", selection::selection()),
        ("Which parts", subset(OF_DATASETS).into()),
        ("Chunks and shards", storage::chunks()),
        ("Compression", storage::compression()),
        ("Kind of the output", storage::kind()),
        ("References", references::references()),
        ("Many files", several()),
        ("Many processes", many_processes::many_processes()),
        ("Safety", safety::integrity()),
        ("Remote stores and other files", access()),
        ("Reports", safety::reports()),
        ("Compatibility", compatibility()),
        ("General", common()),
    ],
    most_used: &[
        "kind", "deflate", "shuffle", "filter", "chunks", "only-vars", "sel", "fix-all", "verify", "dry-run",
    ],
    operands: vec![
        Opt::operand("paths", "PATH", "The dataset to read and the one to write, by their paths or URLs")
            .value(Value::Paths("PATH"))
            .more("An output is a file, or with a fragment such as #mode=nczarr,file, #mode=zarr,zip or #mode=zarr,v3 a Zarr dataset. It appears, or replaces an older one, only when it is complete. With several inputs the output is a folder, and each input becomes a file of its name in it."),
    ],
    usage: USAGE,
    modes: &[
        (Values, "values"),
        (Bytes, "archives"),
        (Hdf5, "`-k h5`"),
        (Zst, "`-k zst`"),
        (SalvageArchive, "`--salvage` of an archive"),
    ],
    after: || format!("{EXAMPLES}\n{}\n{NOTES}", crate::filters::built_in()),
}
});

const MEMORY: &str =
    "An input chunk that needs more than this, and more than 64 MiB, when it is decoded is refused.";

/// Many inputs, with an output for each or one for all.
fn several() -> Vec<Opt> {
    let mut options = many_files::many_files();
    options.extend(join::join());
    options
}

fn access() -> Vec<Opt> {
    let mut options = vec![replace()];
    options.extend(other_files());
    options.extend(remote());
    options
}

fn common() -> Vec<Opt> {
    let mut options = vec![memory(MEMORY), threads()];
    options.extend(general());
    options
}

fn compatibility() -> Vec<Opt> {
    vec![
        accepted('x', "exclude-chunked", "estimate-caches"),
        accepted('h', "chunk-cache", "chunk-cache").value(Value::Text("BYTES")),
        accepted('e', "cache-elements", "cache-elements").value(Value::Text("N")),
        accepted('w', "diskless-write", "diskless-write"),
        accepted('r', "diskless-read", "diskless-read"),
        accepted('L', "log", "log-level").value(Value::Text("N")),
    ]
}
