//! The servers that the tests of remote stores run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::succeed;
use crate::workspace::{cargo, root};

/// The package of Azurite, a server of Azure's blobs.
const AZURITE: &str = "azurite@3.37.0";

/// The profile of the servers for tests, which builds in a minute, as the folder of its programs is named.
pub const DEBUG: &str = "debug";

/// The profile of the servers for benchmarks.
#[cfg(feature = "libraries")]
pub const RELEASE: &str = "release";

/// Builds `tests/servers`, which is a workspace of its own. Returns the folder of its programs.
pub fn build(profile: &str) -> Result<PathBuf> {
    let target = root().join("target/servers");
    let mut command = cargo();
    command.args(["build", "--locked", "--quiet", "--manifest-path"]);
    command.arg(manifest()).arg("--target-dir").arg(&target);
    if profile != DEBUG {
        command.args(["--profile", profile]);
    }
    succeed(&mut command)?;
    Ok(target.join(profile))
}

/// Runs the unit tests of the servers.
pub fn test() -> Result<()> {
    let mut command = cargo();
    command.args(["test", "--locked", "--quiet", "--manifest-path"]);
    succeed(
        command
            .arg(manifest())
            .arg("--target-dir")
            .arg(root().join("target/servers")),
    )
}

/// The manifest of `tests/servers`.
pub fn manifest() -> PathBuf {
    root().join("tests/servers/Cargo.toml")
}

/// Installs Azurite below `target/interop` if needed. If npm cannot install it, a file `missing` there says why, and the tests
/// that need it are skipped.
pub fn install_azurite() -> Result<()> {
    let folder = root().join("target/interop/azurite");
    let stamp = folder.join("stamp");
    if fs::read_to_string(&stamp).is_ok_and(|have| have == AZURITE) {
        return Ok(());
    }
    println!("xtask: installing {AZURITE} in {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    match npm_install(&folder) {
        Ok(()) => fs::write(stamp, AZURITE)?,
        Err(error) => {
            println!("xtask: Azurite is not installed: {error:#}");
            fs::write(
                folder.join("missing"),
                format!("Azurite is not installed: {error:#}"),
            )?;
        }
    }
    Ok(())
}

fn npm_install(folder: &Path) -> Result<()> {
    succeed(
        Command::new("npm")
            .args([
                "install",
                "--silent",
                "--no-fund",
                "--no-audit",
                "--no-save",
                "--prefix",
            ])
            .arg(folder)
            .arg(AZURITE),
    )
    .context("npm is needed (Debian: npm)")
}
