//! The Python environment of the interop tests and libnetcdf with NCZarr, made once below `target`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{root, succeed};

/// The interpreter of an environment with the packages in `tests/interop/requirements.txt`. Makes the environment if
/// needed.
pub fn interpreter() -> Result<PathBuf> {
    let requirements = root().join("tests/interop/requirements.txt");
    let folder = root().join("target/interop/venv");
    let python = folder.join("bin/python");
    let stamp = folder.join("requirements.txt");
    let wanted =
        fs::read(&requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    if fs::read(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(python);
    }
    println!("xtask: making a Python environment in {}", folder.display());
    succeed(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&folder),
    )
    .context("python3 with its venv module is needed (Debian: python3-venv)")?;
    succeed(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(&requirements),
    )?;
    fs::write(&stamp, wanted)?;
    Ok(python)
}

/// Installs zarr-python 2 below `target/interop/zarr2` if needed. It cannot stand beside version 3 in one environment:
/// tests run it in a process whose `PYTHONPATH` is this folder.
pub fn install_zarr2(python: &Path) -> Result<()> {
    let requirements = root().join("tests/interop/requirements-zarr2.txt");
    let folder = root().join("target/interop/zarr2");
    let stamp = folder.join("requirements.txt");
    let wanted =
        fs::read(&requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    if fs::read(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    println!("xtask: installing zarr-python 2 in {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    succeed(
        Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
            .arg(&folder)
            .arg("--requirement")
            .arg(&requirements),
    )?;
    fs::write(&stamp, wanted)?;
    Ok(())
}

/// Builds libnetcdf 4.10 below `target/interop/netcdf-c` if needed. Where it cannot be built, the script says why, and the tests
/// that need it are skipped.
pub fn build_netcdf_c(python: &Path) -> Result<()> {
    succeed(
        Command::new(python)
            .arg(root().join("tests/interop/netcdf_c_build.py"))
            .arg(root().join("target/interop/netcdf-c")),
    )
}
