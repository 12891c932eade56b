//! `cargo xtask`: tasks of contributors.
//!
//! ```text
//! cargo xtask test      unit and integration tests, then interop
//! cargo xtask interop   the tests against netCDF4-python, h5py, ncdump, h5dump
//! cargo xtask instructions  counts of instructions, against a table
//! cargo xtask licences  licences and sources of the dependencies, checked against deny.toml
//! cargo xtask bench     pairs against netcdf-bin in the same run; filters against the reference libraries'
//! cargo xtask fuzz      damaged input for every parser
//! cargo xtask arrows    uses between files: no cycle between folders, no use of a higher layer
//! cargo xtask man DIR   man pages, from the table of options
//! ```
//!
//! The commands `bench`, `fuzz` and `man` call our libraries. They are built with the feature `libraries`, in a second
//! run of cargo, so that the other commands start at once after any edit.

mod arrows;
#[cfg(feature = "libraries")]
mod bench;
#[cfg(feature = "libraries")]
mod codec;
#[cfg(feature = "libraries")]
mod fuzz;
mod instructions;
mod interop;
mod licences;
#[cfg(feature = "libraries")]
mod man;
#[cfg(feature = "libraries")]
mod measure;
mod programs;
mod python;
mod remote_tests;
mod servers;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use programs::DEV;
use remote_tests::RemoteTests;

const HELP: &str = "\
cargo xtask test             unit and integration tests, then interop
cargo xtask interop [ARGS]   tests against other programs; ARGS go to pytest (such as -k rules); files of tests among them: these alone;
                             those of remote stores, test_remote_*.py, with NCUTILS_REMOTE=own (s3s-fs and Google's stand-in), =short (all servers), or =long for all faults and kills
cargo xtask instructions     instructions of small runs, against tests/instructions.txt; --bless writes it
cargo xtask licences         what deny.toml says of the dependencies' licences and sources
cargo xtask bench [NAME]     pairs against Debian's netcdf-bin in the same run; `bench --before FOLDER [NAME]` against older programs of ours;
                             `bench remote [NAME]` work on a store 20 ms away; `bench archive [f|m|s|header]` compressed netCDF-3 archives; `bench proof [NAME]` checks, digests and comparisons; `bench parts [NAME]` slices and virtual datasets;
                             `bench filters [NAME]` each filter against the reference library's, on one core
cargo xtask fuzz [SECONDS]   damaged input for every parser, 60 s; `fuzz [SECONDS] TARGET…` some, `fuzz TARGET FILE` one input
cargo xtask arrows [--all]   cycles between files of different folders, and arrows that go up; `--all` cycles within folders too
cargo xtask man DIR          man pages of the binaries, written to DIR";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let done = match arguments.first().map(String::as_str) {
        Some("test") => test(),
        Some("interop") => RemoteTests::asked().and_then(|remote| interop::run(rest, remote)),
        Some("arrows") => arrows::run(&root(), rest),
        Some("instructions") => instructions::run(rest),
        Some("licences") => licences::run(),
        // The codecs' own speed is measured in this process.
        Some("bench") => with_libraries("release", &arguments),
        // Overflows and failed debug assertions count as failures.
        Some("fuzz" | "fuzz-worker") => with_libraries(DEV, &arguments),
        Some("man") => with_libraries(DEV, &arguments),
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

/// Runs a command that calls our libraries.
#[cfg(feature = "libraries")]
fn with_libraries(_: &str, arguments: &[String]) -> Result<()> {
    let rest = arguments.get(1..).unwrap_or_default();
    match arguments.first().map(String::as_str) {
        Some("bench") => bench::run(rest),
        Some("fuzz") => fuzz::run(rest),
        Some(fuzz::WORKER) => fuzz::worker(rest),
        _ => man::write(rest.first().map_or("target/man", String::as_str)),
    }
}

/// Settings of glibc's allocator for `bench filters`, by environment variables. `tests/bench/filters.py` makes the same by
/// `mallopt`. liblzma and libbzip2 allocate megabytes for each chunk, whose pages would else be mapped anew.
#[cfg(not(feature = "libraries"))]
const ALLOCATOR: [(&str, &str); 2] = [
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
    ("MALLOC_TRIM_THRESHOLD_", "1073741824"),
];

/// Runs a command that calls our libraries, in an xtask that is linked with them.
#[cfg(not(feature = "libraries"))]
fn with_libraries(profile: &str, arguments: &[String]) -> Result<()> {
    // Keep the current folder: arguments may be relative paths.
    let folder = std::env::current_dir()?;
    let manifest = root().join("Cargo.toml");
    let is_filters = matches!(arguments, [bench, filters, ..] if bench == "bench" && filters == "filters");
    let settings = ALLOCATOR.iter().filter(|_| is_filters);
    succeed(
        cargo()
            .envs(settings.copied())
            .args([
                "run",
                "--locked",
                "--quiet",
                "--package",
                "xtask",
                "--features",
                "libraries",
                "--profile",
                profile,
            ])
            .arg("--manifest-path")
            .arg(manifest)
            .arg("--")
            .args(arguments)
            .current_dir(folder),
    )
}

fn test() -> Result<()> {
    // A wrong value is told before the unit tests, which take minutes.
    let remote = RemoteTests::asked()?;
    succeed(cargo().args(["test", "--locked", "--workspace", "--quiet"]))?;
    if remote.is_some() {
        servers::test()?;
    }
    interop::run(&[], remote)
}

/// The root of the workspace.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Builds the release binaries, and returns their folder.
#[cfg(feature = "libraries")]
fn build_release() -> Result<PathBuf> {
    Ok(programs::Programs::build("release")?.folder())
}

/// Runs a command, which must succeed.
fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    Ok(())
}

/// Runs a command, which must succeed, and returns its standard output.
fn output(command: &mut Command) -> Result<String> {
    let done = command
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !done.status.success() {
        bail!(
            "{command:?} failed: {}: {}",
            done.status,
            String::from_utf8_lossy(&done.stderr)
        );
    }
    Ok(String::from_utf8(done.stdout)?)
}
