//! Runs `tests/interop`, which checks our files with other programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::process::succeed;
use crate::programs::{DEV, Programs};
use crate::remote_tests::RemoteTests;
use crate::workspace::root;
use crate::{python, servers};

/// How much of the tests runs that no argument names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Of a test with many values, some: see `tests/interop/sampling.py`.
    Sample,
    /// All.
    Whole,
}

/// What tests contain that need [`python::install_newer`].
const NEWER: &str = "NCUTILS_NEWER";

/// How many of the tests that mostly wait run at a time. Each has a server, a proxy and a Python, 200 MB together.
const WAITING: &str = "24";

/// Builds the programs and runs the tests. `arguments` go to pytest.
///
/// If the arguments name test files or node ids, these run, and run whole; otherwise `extent` says how much runs. The programs
/// have the profile `dev`; `--profile NAME` in front selects another profile.
///
/// The tests of remote stores start servers and take minutes. `remote` says how much of them runs; see [`RemoteTests`]. If it
/// is `None`, only those run that the arguments name. With [`RemoteTests::Long`], tests that mostly wait run after the
/// others, many at a time.
pub fn run(arguments: &[String], extent: Extent, remote: Option<RemoteTests>) -> Result<()> {
    let (profile, arguments) = match arguments {
        [flag, profile, rest @ ..] if flag == "--profile" => (Some(profile.as_str()), rest),
        _ => (None, arguments),
    };
    let chosen: Vec<PathBuf> = arguments
        .iter()
        .filter_map(|argument| test_file(argument))
        .collect();
    if chosen.is_empty() {
        let tools = Tools::of_all(profile.unwrap_or(DEV), extent, remote)?;
        name_what_is_missing();
        run_all(&tools, arguments, extent, remote)
    } else {
        let tools = Tools::of_chosen(profile.unwrap_or(DEV), &chosen, remote)?;
        succeed(
            tools
                .pytest()
                .args(arguments.iter().map(|argument| in_tests(argument))),
        )
    }
}

/// Runs all tests or a sample, or those of them that the arguments select.
fn run_all(tools: &Tools, arguments: &[String], extent: Extent, remote: Option<RemoteTests>) -> Result<()> {
    let left_out = match remote {
        Some(remote) => remote.left_out(),
        None => {
            println!("xtask: the tests of remote stores are left out; NCUTILS_REMOTE=short runs them too");
            &["test_remote_*"]
        }
    };
    // Four more than processors, as a third of the time is waiting for servers and for time limits.
    let processes = std::thread::available_parallelism()?.get() + 4;
    succeed(
        tools
            .pytest()
            .args(["-n", &processes.to_string(), "-m", "not waits"])
            .args((extent == Extent::Sample).then_some("--sample"))
            .args(left_out.iter().map(|stem| format!("--ignore-glob=*/{stem}.py")))
            .args(arguments)
            .arg("tests/interop"),
    )?;
    if remote == Some(RemoteTests::Long) {
        succeed(
            tools
                .pytest()
                .args(["-n", WAITING, "-m", "waits"])
                .args(arguments)
                .arg("tests/interop/test_remote_faults.py"),
        )?;
    }
    Ok(())
}

/// What the tests run with.
struct Tools {
    programs: Programs,
    /// The Python interpreter with the packages of the tests.
    python: PathBuf,
    /// The folder of the programs of `tests/servers`, if a test runs them.
    servers: Option<PathBuf>,
}

impl Tools {
    /// Builds and installs what all tests need, or a sample of them.
    fn of_all(profile: &str, extent: Extent, remote: Option<RemoteTests>) -> Result<Self> {
        // No sample has the tests of newer packages.
        let mut tools = Self::without_servers(profile, |text| text != NEWER || extent == Extent::Whole)?;
        if remote.is_some() {
            tools.add_servers(remote)?;
        }
        Ok(tools)
    }

    /// Builds and installs what some test files need.
    fn of_chosen(profile: &str, chosen: &[PathBuf], remote: Option<RemoteTests>) -> Result<Self> {
        let is_named = |text: &str| chosen.iter().any(|path| names(path, text));
        let mut tools = Self::without_servers(profile, is_named)?;
        if is_named("remote_") {
            tools.add_servers(remote)?;
        }
        Ok(tools)
    }

    /// Builds and installs all but servers. `is_named` says whether a test to run contains a text.
    fn without_servers(profile: &str, is_named: impl Fn(&str) -> bool) -> Result<Self> {
        let programs = Programs::build(profile)?;
        if is_named("harness(") {
            programs.build_harness()?;
        }
        let python = python::interpreter()?;
        if is_named("zarr") || is_named("DASK") {
            python::install_readers(&python)?;
            python::build_netcdf_c(&python)?;
        }
        if is_named(NEWER) {
            python::install_newer()?;
        }
        Ok(Self {
            programs,
            python,
            servers: None,
        })
    }

    /// Builds our servers and, unless the tests run with these alone, installs those of others.
    fn add_servers(&mut self, remote: Option<RemoteTests>) -> Result<()> {
        self.servers = Some(servers::build(servers::DEBUG)?);
        if remote != Some(RemoteTests::Own) {
            servers::install_azurite()?;
            python::install_remote_stores(&self.python)?;
        }
        Ok(())
    }

    /// The command of pytest, without the names of tests.
    fn pytest(&self) -> Command {
        let mut command = Command::new(&self.python);
        if let Some(folder) = &self.servers {
            command.env("NCUTILS_SERVERS", folder);
        }
        command
            .args(["-W", "ignore", "-m", "pytest", "-q", "-rs", "--tb=short"])
            .args(["-p", "no:cacheprovider"])
            // The files of a whole run take 5 GB, which only those of failed tests are worth.
            .args([
                "-o",
                "tmp_path_retention_policy=failed",
                "-o",
                "tmp_path_retention_count=1",
            ])
            .current_dir(root())
            .env("NCUTILS_BIN", self.programs.folder())
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

/// The test file or folder that an argument names, by its path or by its name in `tests/interop`. `::` and the name of
/// a test may follow.
fn test_file(argument: &str) -> Option<PathBuf> {
    let path = argument.split("::").next()?;
    let path = root().join(in_tests(path));
    (!argument.starts_with('-') && path.exists()).then_some(path)
}

/// An argument. The tests' folder is added if that makes it the path of a test.
fn in_tests(argument: &str) -> String {
    let (path, test) = argument.split_at(argument.find("::").unwrap_or(argument.len()));
    if !path.is_empty() && !root().join(path).exists() && root().join("tests/interop").join(path).exists() {
        format!("tests/interop/{path}{test}")
    } else {
        argument.to_owned()
    }
}

/// True if a file of tests contains a text, or cannot be read as a file.
fn names(tests: &Path, text: &str) -> bool {
    fs::read_to_string(tests).map_or(true, |tests| tests.contains(text))
}

fn name_what_is_missing() {
    for (program, package) in [
        ("ncdump", "netcdf-bin"),
        ("ncgen", "netcdf-bin"),
        ("h5dump", "hdf5-tools"),
        ("ncks", "nco"),
        ("gcc", "gcc, libnetcdf-dev"),
        ("gfortran", "gfortran, libnetcdff-dev"),
        ("npm", "npm"),
    ] {
        if Command::new(program).arg("--version").output().is_err() {
            println!(
                "xtask: {program} is not installed (Debian: {package}); the tests that need it are skipped"
            );
        }
    }
}
