//! The Python environment of the interop tests and libnetcdf with NCZarr, made once below `target`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::succeed;
use crate::workspace::root;

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
