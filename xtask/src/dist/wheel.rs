//! The wheel, for every Linux with glibc 2.17 or newer: built by maturin, with the compiler and the libraries of Zig.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::licence_texts;
use super::link;
use super::program::host;
use super::tree::PackageFolder;
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
        .arg("--")
        .args(link::arguments())
        .env("PATH", &path)
        // Objects of another C compiler are not to be mixed with these.
        .env("CARGO_TARGET_DIR", root().join("target/zig"))
        // The program exports all that is not hidden. A plugin has to find its own copy of a C library, not ours.
        .env("CFLAGS", "-fvisibility=hidden")
        .current_dir(source()?);
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

/// A folder with what is in the wheel besides the program: what `crates/wheel` has, and the licences.
fn source() -> Result<PathBuf> {
    let of_wheel = root().join("crates/wheel");
    let tree = PackageFolder::new(root().join("target/wheel-source"))?;
    succeed(
        Command::new("cp")
            .arg("-r")
            .arg(of_wheel.join("."))
            .arg(tree.root()),
    )?;
    let settings = fs::read_to_string(of_wheel.join("pyproject.toml"))?;
    let program = fs::canonicalize(root())?.join("crates/ncutils/Cargo.toml");
    let settings = settings.replace("../ncutils/Cargo.toml", &program.to_string_lossy());
    tree.write("pyproject.toml", settings)?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        tree.write(name, fs::read(root().join(name))?)?;
    }
    let licences = "data/data/share/doc/ncutils-rs/THIRD-PARTY-LICENSES.txt";
    tree.write(licences, licence_texts::text()?)?;
    Ok(tree.root().to_owned())
}

/// The folder of the programs that make wheels, in an environment of Python that is made if it is not there. pip does nothing where
/// the versions are.
fn tools() -> Result<PathBuf> {
    let environment = root().join("target/wheel-tools");
    let programs = fs::canonicalize(root())?.join("target/wheel-tools/bin");
    if !programs.join("pip").exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    let mut pip = Command::new(programs.join("pip"));
    succeed(pip.args(["install", "--quiet"]).args(TOOLS))?;
    Ok(programs)
}
