//! Runs `tests/interop`, which checks our files with other programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::programs::{CI, DEV, Programs};
use crate::remote_tests::RemoteTests;
use crate::{python, root, servers, succeed};

/// How many of the tests that mostly wait run at a time. Each has a server, a proxy and a Python, 200 MB together.
const WAITING: &str = "24";

/// Builds the programs and runs the tests. `arguments` go to pytest.
///
/// If the arguments name test files or node ids, only these run, with programs of the profile `dev`, which builds
/// fastest. Otherwise all tests run, with programs of the profile `ci`, which run faster. `--profile NAME` in front
/// selects another profile.
///
/// The tests of remote stores start servers and take minutes. `remote` says how much of them runs; see [`RemoteTests`]. If it
/// is `None`, only those run that the arguments name. With [`RemoteTests::Long`], tests that mostly wait run after the
/// others, many at a time.
pub fn run(arguments: &[String], remote: Option<RemoteTests>) -> Result<()> {
    let (profile, arguments) = match arguments {
        [flag, profile, rest @ ..] if flag == "--profile" => (Some(profile.as_str()), rest),
        _ => (None, arguments),
    };
    let chosen: Vec<PathBuf> = arguments
        .iter()
        .filter_map(|argument| test_file(argument))
        .collect();
    let profile = profile.unwrap_or(if chosen.is_empty() { CI } else { DEV });
    let programs = Programs::build(profile)?;
    if chosen.is_empty() || chosen.iter().any(|path| needs_harness(path)) {
        programs.build_harness()?;
    }
    let python = python::interpreter()?;
    if chosen.is_empty() || chosen.iter().any(|path| names(path, "zarr")) {
        python::install_readers_of_zarr(&python)?;
        python::build_netcdf_c(&python)?;
    }
    let mut servers = None;
    let with_remote = match chosen.is_empty() {
        true => remote.is_some(),
        false => chosen.iter().any(|path| names(path, "remote_")),
    };
    if with_remote {
        servers = Some(servers::build(servers::DEBUG)?);
        if remote != Some(RemoteTests::Own) {
            servers::install_azurite()?;
            python::install_remote_stores(&python)?;
        }
    }
    if chosen.is_empty() {
        name_what_is_missing();
        if !with_remote {
            println!("xtask: the tests of remote stores are left out; NCUTILS_REMOTE=short runs them too");
        }
    }
    let pytest = || {
        let mut command = Command::new(&python);
        if let Some(folder) = &servers {
            command.env("NCUTILS_SERVERS", folder);
        }
        command
            .args([
                "-W",
                "ignore",
                "-m",
                "pytest",
                "-q",
                "-rs",
                "--tb=short",
                "-p",
                "no:cacheprovider",
            ])
            .current_dir(root())
            .env("NCUTILS_BIN", programs.folder())
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command
    };
    if !chosen.is_empty() {
        return succeed(pytest().args(arguments.iter().map(|argument| in_tests(argument))));
    }
    let left_out = remote.map_or(&[][..], RemoteTests::left_out);
    let processors = std::thread::available_parallelism()?.get();
    succeed(
        pytest()
            .args(["-n", &processors.to_string(), "-m", "not waits"])
            .args((!with_remote).then_some("--ignore-glob=*/test_remote_*.py"))
            .args(left_out.iter().map(|stem| format!("--ignore-glob=*/{stem}.py")))
            .args(arguments)
            .arg("tests/interop"),
    )?;
    if remote == Some(RemoteTests::Long) {
        succeed(
            pytest()
                .args(["-n", WAITING, "-m", "waits"])
                .args(arguments)
                .arg("tests/interop/test_remote_faults.py"),
        )?;
    }
    Ok(())
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

/// True if tests run programs of the harness.
fn needs_harness(tests: &Path) -> bool {
    names(tests, "harness(")
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
