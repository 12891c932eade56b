//! The wheel, for every Linux with glibc 2.17 or newer: built by maturin, with the compiler and the libraries of Zig.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::program::host;
use crate::process::{output, succeed};
use crate::workspace::root;

/// The packages of PyPI that make and judge wheels.
const TOOLS: [&str; 3] = ["maturin==1.16.0", "ziglang==0.17.1", "auditwheel==6.8.2"];

/// The wheel's platform, without the machine.
const PLATFORM: &str = "manylinux_2_17";

/// Builds the program and makes the wheel in a folder. Returns its path.
///
/// # Errors
/// auditwheel says that the wheel needs a newer system.
pub fn make(folder: &Path) -> Result<PathBuf> {
    let tools = tools()?;
    // maturin finds zig through the interpreter of this environment.
    let mut path = vec![tools.clone()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let path = env::join_paths(path)?;
    let output_folder = folder.join("wheel");
    if output_folder.exists() {
        fs::remove_dir_all(&output_folder)?;
    }
    let target = host()?;
    let mut maturin = Command::new(tools.join("maturin"));
    maturin
        .args([
            "build",
            "--zig",
            "--locked",
            "--profile",
            "dist",
            "--target",
            &target,
        ])
        .args(["--compatibility", PLATFORM, "--auditwheel", "repair", "--out"])
        .arg(&output_folder)
        .env("PATH", &path)
        // Objects of another C compiler are not to be mixed with these.
        .env("CARGO_TARGET_DIR", root().join("target/zig"))
        .current_dir(root().join("crates/wheel"));
    succeed(&mut maturin)?;
    let made = fs::read_dir(&output_folder)?
        .next()
        .context("maturin made no wheel")??
        .path();
    let told = output(
        Command::new(tools.join("auditwheel"))
            .arg("show")
            .arg(&made)
            .env("PATH", &path),
    )?;
    let machine = target.split('-').next().unwrap_or_default();
    let tag = format!("{PLATFORM}_{machine}");
    if !told.replace('\n', " ").contains(&format!("\"{tag}\"")) {
        bail!("{} is not for {tag}: {told}", made.display());
    }
    println!("{}", told.trim());
    let wheel = folder.join(made.file_name().context("a wheel without a name")?);
    fs::rename(made, &wheel)?;
    fs::remove_dir(output_folder)?;
    Ok(wheel)
}

/// The folder of the programs that make wheels, in an environment of Python that is made if it is not there.
fn tools() -> Result<PathBuf> {
    let environment = root().join("target/wheel-tools");
    let programs = fs::canonicalize(root())?.join("target/wheel-tools/bin");
    if !programs.join("maturin").exists() || !programs.join("auditwheel").exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        succeed(
            Command::new(programs.join("pip"))
                .args(["install", "--quiet"])
                .args(TOOLS),
        )?;
    }
    Ok(programs)
}
