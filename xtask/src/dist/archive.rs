//! The archive: programs, man pages, completions and licences, in one folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::licence_texts;
use super::program::{Program, host};
use super::release::{time, version};
use super::tree::PackageFolder;
use crate::man::OLD_NAMES;
use crate::process::succeed;
use crate::workspace::root;

/// Files of the project that are in the archive.
const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Makes the archive in a folder. Returns its path.
pub fn make(program: &Program, folder: &Path) -> Result<PathBuf> {
    let name = format!("ncutils-{}-{}", version(), host()?);
    let tree = PackageFolder::new(folder.join("archive").join(&name))?;
    tree.program("bin/ncutils", program)?;
    for old in OLD_NAMES {
        tree.link(&format!("bin/{old}"), "ncutils")?;
    }
    for name in ["ncutils"].iter().chain(&OLD_NAMES) {
        tree.write(&format!("share/man/man1/{name}.1"), program.man_page(name)?)?;
        tree.completions("", "site-functions", program, name)?;
    }
    for file in FILES {
        tree.write(file, fs::read(root().join(file))?)?;
    }
    tree.write("THIRD-PARTY-LICENSES.txt", licence_texts::text()?)?;
    let archive = folder.join(format!("{name}.tar.gz"));
    // The same content makes the same archive.
    succeed(
        Command::new("tar")
            .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
            .arg(format!("--mtime=@{}", time()))
            .arg(format!("--use-compress-program=gzip -{}n", program.level()))
            .arg("-cf")
            .arg(&archive)
            .arg("-C")
            .arg(folder.join("archive"))
            .arg(name),
    )?;
    Ok(archive)
}
