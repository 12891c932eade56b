//! `cargo xtask`: what a contributor runs.
//!
//! ```text
//! cargo xtask test      unit and integration tests, then interop
//! cargo xtask interop   the tests against netCDF4-python, h5py, ncdump, h5dump
//! cargo xtask bench     pairs against netcdf-bin in the same run
//! cargo xtask fuzz      damaged input for every parser
//! cargo xtask arrows    which file uses which: no cycles between folders, no arrow that goes up
//! cargo xtask man DIR   man pages, from the flags' definitions
//! ```

mod arrows;
mod bench;
mod codec;
mod fuzz;
mod interop;
mod man;
mod measure;
mod python;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

const HELP: &str = "\
cargo xtask test             unit and integration tests, then interop
cargo xtask interop [ARGS]   tests against other programs; ARGS go to pytest (such as -k rules)
cargo xtask bench [NAME]     pairs against Debian's netcdf-bin in the same run
cargo xtask fuzz [SECONDS]   damaged input for every parser, 60 s; `fuzz [SECONDS] TARGET…` some, `fuzz TARGET FILE` one input
cargo xtask arrows [--all]   cycles between files of different folders, and arrows that go up; `--all` cycles within folders too
cargo xtask man DIR          man pages of the binaries, written to DIR";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let done = match arguments.first().map(String::as_str) {
        Some("test") => test(),
        Some("interop") => interop::run(rest),
        Some("bench") => bench::run(rest.first().map(String::as_str)),
        Some("fuzz") => fuzz::run(rest),
        Some(fuzz::WORKER) => fuzz::worker(rest),
        Some("arrows") => arrows::run(&root(), rest),
        Some("man") => man::write(rest.first().map_or("target/man", String::as_str)),
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

fn test() -> Result<()> {
    succeed(cargo().args(["test", "--workspace", "--quiet"]))?;
    interop::run(&[])
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

/// Builds the binaries for use, and says where they are.
fn build_release() -> Result<PathBuf> {
    succeed(cargo().args([
        "build",
        "--release",
        "--quiet",
        "--package",
        "nccopy",
        "--package",
        "ncdump",
        "--package",
        "ncgen",
        "--package",
        "ncutils-harness",
    ]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release"))
}

/// Runs a command that must succeed.
fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    Ok(())
}
