//! The Python environment of the interop tests, made once below `target`.

use std::fs;
use std::path::PathBuf;
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
