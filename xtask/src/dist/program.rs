//! The program that packages hold.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::link;
use super::release::version;
use crate::man::page;
use crate::process::output;
use crate::programs::Programs;

/// `ncutils`, built for this machine.
pub struct Program {
    path: PathBuf,
    level: u8,
}

impl Program {
    /// Builds it as packages have it.
    pub fn build() -> Result<Self> {
        Ok(Self {
            path: Programs::build_ncutils("dist", &link::arguments())?,
            level: 9,
        })
    }

    /// One that is built already, of any size.
    ///
    /// # Errors
    /// It is not `ncutils` of this version.
    pub fn built(path: PathBuf) -> Result<Self> {
        let program = Self { path, level: 1 };
        let told = output(Command::new(&program.path).arg("--version"))?;
        let expected = format!("ncutils (ncutils {})", version());
        if told.lines().next() != Some(&expected) {
            bail!("{} is not {expected}", program.path.display());
        }
        Ok(program)
    }

    /// How much work goes into the compression of packages, 1 to 9. Those of a program that was built elsewhere are tests.
    pub fn level(&self) -> u8 {
        self.level
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The man page of a program or of a command of `ncutils`.
    pub fn man_page(&self, name: &str) -> Result<String> {
        page(&self.path, name)
    }

    /// The script that completes command lines of a program in a shell.
    pub fn completions(&self, shell: &str, name: &str) -> Result<String> {
        output(Command::new(&self.path).args(["completions", shell, name]))
    }
}

/// The target for which rustc builds by default.
///
/// # Errors
/// rustc cannot be asked.
pub fn host() -> Result<String> {
    let told = output(Command::new("rustc").arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}
