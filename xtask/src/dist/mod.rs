//! Packages: an archive, two packages of Debian, and a wheel. All hold the one program `ncutils`, and links of the old names.
//!
//! ```text
//! program ─┬─► tree: man pages, completions, licences ─┬─► archive
//!          │                                           └─► debian
//!          └─► wheel, by maturin, which builds for old systems
//! ```

mod archive;
mod debian;
mod licence_texts;
mod link;
mod program;
mod release;
mod tree;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::workspace::root;
use program::Program;

/// The packages that can be made.
const PACKAGES: [&str; 3] = ["tar", "deb", "wheel"];

/// Makes packages, and prints their names and sizes. `arguments` are names of packages, none for all, and these options:
/// `--program FILE` takes a program that is built already, `--to FOLDER` puts the packages elsewhere than into `target/dist`.
pub fn run(arguments: &[String]) -> Result<()> {
    let (mut asked, mut built, mut folder) = (Vec::new(), None, root().join("target/dist"));
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || {
            rest.next()
                .map(PathBuf::from)
                .with_context(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--program" => built = Some(fs::canonicalize(value()?)?),
            "--to" => folder = value()?,
            name if PACKAGES.contains(&name) => asked.push(name),
            other => {
                bail!("cargo xtask dist: {other:?} is none of {PACKAGES:?}, --program FILE, --to FOLDER")
            }
        }
    }
    if asked.is_empty() {
        asked.extend(PACKAGES);
    }
    if built.is_some() && asked.contains(&"wheel") {
        bail!(
            "cargo xtask dist: --program is for tar and deb, and the wheel is built anew: name tar, deb, or both"
        );
    }
    fs::create_dir_all(&folder)?;
    let folder = fs::canonicalize(folder)?;
    let mut made = Vec::new();
    if asked.iter().any(|name| *name != "wheel") {
        let program = match built {
            Some(path) => Program::built(path)?,
            None => Program::build()?,
        };
        if asked.contains(&"tar") {
            made.push(archive::make(&program, &folder)?);
        }
        if asked.contains(&"deb") {
            made.extend(debian::make(&program, &folder)?);
        }
    }
    if asked.contains(&"wheel") {
        made.push(wheel::make(&folder)?);
    }
    for package in made {
        println!("{:>8.1} MB  {}", megabytes(&package)?, package.display());
    }
    Ok(())
}

/// The size of a file in megabytes (10⁶ bytes).
fn megabytes(file: &Path) -> Result<f64> {
    Ok(fs::metadata(file)?.len() as f64 / 1e6)
}
