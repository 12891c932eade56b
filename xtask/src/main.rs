//! `cargo xtask`: tasks of contributors.
//!
//! ```text
//! cargo xtask test      unit and integration tests, then interop
//! cargo xtask interop   the tests against netCDF4-python, h5py, ncdump, h5dump: a sample, or some whole
//! cargo xtask long      the same tests, whole
//! cargo xtask environment   what the interop tests need of Python, and libnetcdf 4.10
//! cargo xtask servers   the unit tests of the servers of the remote tests
//! cargo xtask instructions  counts of instructions, against a table
//! cargo xtask licences  licences and sources of the dependencies, checked against deny.toml
//! cargo xtask bench     pairs against netcdf-bin in the same run; filters against the reference libraries'
//! cargo xtask fuzz      damaged input for every parser
//! cargo xtask arrows    uses between files: no circle, no use of a higher layer, no folder of more than 15 files
//! cargo xtask man DIR   man pages, from the table of options
//! cargo xtask dist      packages: an archive, two of Debian, a wheel
//! ```
//!
//! The commands `bench` and `fuzz` call our libraries. They are built with the feature `libraries`, in a second
//! run of cargo, so that the other commands start at once after any edit.

mod arrows;
#[cfg(feature = "libraries")]
mod bench;
mod dist;
#[cfg(feature = "libraries")]
mod fuzz;
mod instructions;
mod interop;
mod libraries;
mod licences;
mod man;
mod process;
mod programs;
mod python;
mod remote_tests;
mod servers;
mod tests;
mod workspace;

use std::process::ExitCode;

use interop::Extent;
use libraries::with_libraries;
use programs::DEV;
use remote_tests::RemoteTests;
use workspace::root;

const HELP: &str = "\
cargo xtask test             unit and integration tests, then interop
cargo xtask interop [ARGS]   tests against other programs, of those with many values a sample; ARGS go to pytest (such as -k rules);
                             files of tests among them: these alone, and whole;
                             those of remote stores, test_remote_*.py, with NCUTILS_REMOTE=own (s3s-fs and Google's stand-in), =short (all servers), or =long for all faults and kills
cargo xtask long [ARGS]      the same tests without sampling
cargo xtask environment      what the interop tests need of Python, and libnetcdf 4.10, made below target/interop
cargo xtask servers          unit tests of the servers that the tests of remote stores run
cargo xtask instructions     instructions of small runs, against tests/instructions.txt; --bless writes it
cargo xtask licences         what deny.toml says of the dependencies' licences and sources
cargo xtask bench [NAME]     pairs against Debian's netcdf-bin in the same run; `bench --before FOLDER [NAME]` against older programs of ours;
                             `bench remote [NAME]` work on a store 20 ms away; `bench archive [f|m|s|header]` compressed netCDF-3 archives; `bench files` many small files; `bench join` files joined along a dimension; `bench references` references, beside kerchunk and VirtualiZarr; `bench dap` copies from pydap; `bench jobs [processes|dask|scaling]` one dataset by several processes; `bench append` 1 % added to 2 GB; `bench python` the module's import and a small copy; `bench proof [NAME]` checks, digests and comparisons; `bench parts [NAME]` slices and virtual datasets;
                             `bench shards [NAME]` copies of sharded Zarr;
                             `bench inflate [NAME]` our deflated chunks beside netcdf-bin's, inflated; `bench filters [NAME]` each filter against the reference library's, on one core
cargo xtask fuzz [SECONDS]   damaged input for every parser, 60 s; `fuzz [SECONDS] TARGET…` some, `fuzz TARGET FILE` one input
cargo xtask arrows           circles of files, arrows that go up, folders of more than 15 files, questions for a kind
cargo xtask man DIR          man pages of the binaries, written to DIR
cargo xtask dist [NAME…]     packages in target/dist: `tar`, `deb`, `wheel`, or all; `--program FILE` and `--to FOLDER` for what is built already";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let done = match arguments.first().map(String::as_str) {
        Some("test") => tests::run(),
        Some("interop") => RemoteTests::asked().and_then(|remote| interop::run(rest, Extent::Sample, remote)),
        Some("long") => RemoteTests::asked().and_then(|remote| interop::run(rest, Extent::Whole, remote)),
        Some("environment") => python::prepare(),
        Some("servers") => servers::test(),
        Some("arrows") => arrows::run(&root(), rest),
        Some("instructions") => instructions::run(rest),
        Some("licences") => licences::run(),
        // The codecs' own speed is measured in this process.
        Some("bench") => with_libraries("release", &arguments),
        // Overflows and failed debug assertions count as failures.
        Some("fuzz" | "fuzz-worker") => with_libraries(DEV, &arguments),
        Some("man") => man::write(rest.first().map_or("target/man", String::as_str).as_ref()),
        Some("dist") => dist::run(rest),
        _ => {
            println!("{HELP}");
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
