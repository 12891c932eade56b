//! Benchmarks against Debian's netcdf-bin (and NCO, for JSON): the same work, with both programs in turn in the same
//! run, and output on tmpfs.
//!
//! For each case, it prints both times and their ratio, both peaks of memory, our time with one thread, and the
//! scaling. It also prints which share of the codecs' own speed is reached. That speed is measured in two ways: one
//! thread that only runs codecs, times the number of threads, and all threads at once, which is what the machine can
//! really give.
//!
//! With `--before FOLDER`, the other program is an older build of ours, and what became slower is marked.
//!
//! With `shards`, it compares work on shards of Zarr: see `shards.rs`.
//!
//! With `remote`, it compares work on a remote store: see `remote`.
//!
//! With `archive`, it measures compressed netCDF-3 archives: see `archive.rs`.
//!
//! With `proof`, it measures checks, digests, comparisons and verified copies, and with `parts` slices and virtual
//! datasets: see `proof.rs`.
//!
//! With `files`, it copies many small files: see `files.rs`. With `join`, it joins files: see `join.rs`. With
//! `append`, it adds to a file: see `append.rs`. With `jobs`, several processes make one dataset: see `jobs`.
//! With `python`, it copies from Python: see `python.rs`. With `references`, it writes references: see `references.rs`. With
//! `dap`, it copies from an OPeNDAP server: see `remote/dap.rs`.
//!
//! With `filters`, it compares each filter with the reference library's: see `codecs/filters.rs`. With `inflate`, it inflates
//! what we and netcdf-bin deflated: see `codecs/inflate.rs`.

mod append;
mod archive;
mod before;
mod cases;
mod codecs;
mod command;
mod files;
mod jobs;
mod join;
mod measure;
mod pairs;
mod proof;
mod python;
mod references;
mod remote;
mod shards;

pub use command::run;
