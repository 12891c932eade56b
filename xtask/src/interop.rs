//! Runs `tests/interop`: what other programs say of our files.

use std::process::Command;

use anyhow::Result;

use crate::{build_release, python, root, succeed};

/// Builds the binaries and runs the tests; `arguments` go to pytest.
pub fn run(arguments: &[String]) -> Result<()> {
    let python = python::interpreter()?;
    let binaries = build_release()?;
    for (program, package) in [
        ("ncdump", "netcdf-bin"),
        ("ncgen", "netcdf-bin"),
        ("h5dump", "hdf5-tools"),
        ("ncks", "nco"),
        ("gcc", "gcc, libnetcdf-dev"),
        ("gfortran", "gfortran, libnetcdff-dev"),
    ] {
        if Command::new(program).arg("--version").output().is_err() {
            println!(
                "xtask: {program} is not installed (Debian: {package}); the tests that need it are skipped"
            );
        }
    }
    if !root().join("../shared/corpus").is_dir() {
        println!(
            "xtask: the corpus of other programs' files is not here; the tests that need it are skipped"
        );
    }
    succeed(
        Command::new(python)
            .args([
                "-W",
                "ignore",
                "-m",
                "pytest",
                "-q",
                "-rs",
                "--tb=short",
                "-p",
                "no:cacheprovider",
                "-n",
                "2",
            ])
            .args(arguments)
            .arg(root().join("tests/interop"))
            .env("NCUTILS_BIN", binaries)
            .env("PYTHONDONTWRITEBYTECODE", "1"),
    )
}
