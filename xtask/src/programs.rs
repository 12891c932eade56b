//! Builds our programs with cargo.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process::succeed;
use crate::workspace::{cargo, root};

/// The profile of tests and of the programs that they run.
pub const DEV: &str = "dev";

/// The programs of one profile.
pub struct Programs {
    profile: String,
}

impl Programs {
    /// Builds `nccopy`, `ncdump` and `ncgen`.
    pub fn build(profile: &str) -> Result<Self> {
        Self::build_by(cargo(), profile)
    }

    /// The same without incremental compilation, which cuts crates into other units: always the same programs.
    pub fn build_repeatably(profile: &str) -> Result<Self> {
        let mut command = cargo();
        command.env("CARGO_INCREMENTAL", "0");
        Self::build_by(command, profile)
    }

    fn build_by(mut command: Command, profile: &str) -> Result<Self> {
        command.args(["build", "--locked", "--quiet", "--profile", profile]);
        if profile == DEV {
            // With the examples, the features are the same as for `cargo test`, so its builds of the libraries are
            // reused.
            command.args(["--workspace", "--bins", "--examples"]);
        } else {
            command.args(["--package", "nccopy", "--package", "ncdump", "--package", "ncgen"]);
        }
        succeed(&mut command)?;
        Ok(Self {
            profile: profile.to_owned(),
        })
    }

    /// Builds `ncutils`, which has all three in it, with more arguments for rustc. Returns its path.
    pub fn build_ncutils(profile: &str, arguments: &[String]) -> Result<PathBuf> {
        succeed(
            cargo()
                .args(["rustc", "--locked", "--profile", profile, "--package", "ncutils"])
                .args(["--bin", "ncutils", "--"])
                .args(arguments),
        )?;
        let programs = Self {
            profile: profile.to_owned(),
        };
        Ok(programs.folder().join("ncutils"))
    }

    /// Builds the programs that only tests run.
    pub fn build_harness(&self) -> Result<()> {
        if self.profile == DEV {
            return Ok(());
        }
        succeed(cargo().args([
            "build",
            "--locked",
            "--quiet",
            "--profile",
            &self.profile,
            "--package",
            "ncutils-harness",
        ]))
    }

    /// The folder of the programs.
    pub fn folder(&self) -> PathBuf {
        let folder = if self.profile == DEV {
            "debug"
        } else {
            &self.profile
        };
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root().join("target"), PathBuf::from)
            .join(folder)
    }
}
