//! The Python environment of the interop tests and libnetcdf with NCZarr, made once below `target`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{output, succeed};
use crate::workspace::root;

/// The interpreter of an environment with the packages in `tests/interop/requirements.txt`. Makes the environment if
/// needed.
pub fn interpreter() -> Result<PathBuf> {
    environment("venv", "requirements.txt", Path::new("python3"))
}

/// Makes the environment `target/interop/newer`, if needed: packages of references that need a newer Python than the tests, as in
/// `tests/interop/requirements-newer.txt`. Without such a Python, the tests that need it are skipped.
///
/// # Errors
/// A package cannot be installed.
pub fn install_newer() -> Result<()> {
    match newer_python() {
        Some(python) => environment("newer", "requirements-newer.txt", &python).map(drop),
        None => {
            println!("xtask: Python {NEWER} is not installed; the tests that need it are skipped");
            Ok(())
        }
    }
}

/// The version of Python that the packages in `requirements-newer.txt` need.
const NEWER: &str = "3.12";

/// A Python of that version: one of the path, or of pyenv.
fn newer_python() -> Option<PathBuf> {
    let name = format!("python{NEWER}");
    let of_pyenv = output(Command::new("pyenv").args(["prefix", NEWER])).ok();
    let of_pyenv = of_pyenv.map(|prefix| Path::new(prefix.trim()).join("bin").join(&name));
    // A name that pyenv shows may be that of a version which is not chosen.
    let runs = |python: &PathBuf| output(Command::new(python).arg("--version")).is_ok();
    [Some(PathBuf::from(name)), of_pyenv]
        .into_iter()
        .flatten()
        .find(runs)
}

/// The interpreter of the environment `name` below `target/interop`, with packages of a file in `tests/interop`. Makes the
/// environment by `python` if needed.
fn environment(name: &str, requirements: &str, python: &Path) -> Result<PathBuf> {
    let requirements = root().join("tests/interop").join(requirements);
    let folder = root().join("target/interop").join(name);
    let interpreter = folder.join("bin/python");
    let stamp = folder.join("requirements.txt");
    let wanted =
        fs::read(&requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    if fs::read(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(interpreter);
    }
    println!("xtask: making a Python environment in {}", folder.display());
    succeed(Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))
        .context("python3 with its venv module is needed (Debian: python3-venv)")?;
    succeed(
        Command::new(&interpreter)
            .args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(&requirements),
    )?;
    fs::write(&stamp, wanted)?;
    Ok(interpreter)
}

/// Makes all that tests without servers of others need, which they would else make when they begin.
///
/// # Errors
/// A package cannot be installed.
pub fn prepare() -> Result<()> {
    let python = interpreter()?;
    install_readers(&python)?;
    build_netcdf_c(&python)
}

/// Packages that cannot stand in the environment of `requirements.txt`, each in a folder of its own. Tests run them in a process
/// whose `PYTHONPATH` has this folder. With dask beside it, xarray would read otherwise.
const READERS: [(&str, &str); 6] = [
    ("dap", "pydap"),
    ("dask", "distributed"),
    ("hdf5", "h5py with HDF5 1.14"),
    ("references", "kerchunk, VirtualiZarr and Icechunk"),
    ("zarr2", "zarr-python 2"),
    ("zarr3", "tensorstore, zarrs and a newer zarr-python"),
];

/// The packages of tests of remote stores, likewise.
const OF_REMOTE_STORES: [(&str, &str); 2] = [("moto", "moto"), ("remote", "s3fs and obstore")];

/// Installs the packages in `tests/interop/requirements-dap.txt`, `-dask.txt`, `-hdf5.txt`, `-references.txt`, `-zarr2.txt` and
/// `-zarr3.txt` below `target/interop` if needed.
pub fn install_readers(python: &Path) -> Result<()> {
    READERS
        .iter()
        .try_for_each(|(name, packages)| install_beside(python, name, packages))
}

/// Installs the packages in `tests/interop/requirements-moto.txt` and `-remote.txt` below `target/interop` if needed.
pub fn install_remote_stores(python: &Path) -> Result<()> {
    OF_REMOTE_STORES
        .iter()
        .try_for_each(|(name, packages)| install_beside(python, name, packages))
}

/// Installs the packages in `tests/interop/requirements-rechunker.txt` below `target/interop/rechunker` if needed. They work with
/// zarr-python 2.
///
/// # Errors
/// A package cannot be installed.
#[cfg(feature = "libraries")]
pub fn install_rechunker(python: &Path) -> Result<()> {
    install_beside(python, "rechunker", "rechunker")
}

fn install_beside(python: &Path, name: &str, packages: &str) -> Result<()> {
    let requirements = root().join(format!("tests/interop/requirements-{name}.txt"));
    let folder = root().join("target/interop").join(name);
    let stamp = folder.join("requirements.txt");
    let wanted =
        fs::read(&requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    if fs::read(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    println!("xtask: installing {packages} in {}", folder.display());
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
