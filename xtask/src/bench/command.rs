//! The arguments of `cargo xtask bench`, and the data that it works on.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::CASES;
use super::{
    append, archive, before, codecs, files, jobs, join, pairs, proof, python as module, references, remote,
    shards,
};
use crate::process::succeed;
use crate::programs::Programs;
use crate::workspace::root;
use crate::{python, servers};

/// Runs the cases whose names contain the argument, against netcdf-bin or, with `--before FOLDER`, an older build. The
/// argument `filters` compares filters instead.
pub fn run(arguments: &[String]) -> Result<()> {
    if let [first, rest @ ..] = arguments
        && first == "filters"
    {
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/filters.py");
        return codecs::filters::run(&python, &script, &data, rest.first().map(String::as_str));
    }
    if let [first, rest @ ..] = arguments
        && first == "inflate"
    {
        let binaries = build_release()?;
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/inflate.py");
        let only = rest.first().map(String::as_str);
        return codecs::inflate::run(&binaries, &python, &script, &data, only);
    }
    if arguments == ["append"] {
        return append::run(&build_release()?, &data_folder());
    }
    if let [first, rest @ ..] = arguments
        && first == "jobs"
    {
        let binaries = build_release()?;
        let (python, data) = make_data()?;
        let tools = jobs::Tools {
            binaries,
            python,
            data,
        };
        return jobs::run(&tools, rest.first().map(String::as_str));
    }
    if arguments == ["python"] {
        return module::run(&build_release()?, &python::interpreter()?, &data_folder());
    }
    if arguments == ["join"] {
        return join::run(&build_release()?, &data_folder());
    }
    if arguments == ["references"] {
        let python = python::interpreter()?;
        python::install_readers(&python)?;
        return references::run(&references::Tools {
            binaries: build_release()?,
            server: servers::build(servers::RELEASE)?.join("remote_server"),
            python,
            packages: root().join("target/interop/references"),
            data: data_folder(),
        });
    }
    if arguments == ["dap"] {
        let python = python::interpreter()?;
        python::install_readers(&python)?;
        let packages = root().join("target/interop/dap");
        let script = root().join("tests/bench/dap.py");
        return remote::dap::run(&build_release()?, &python, &packages, &script, &data_folder());
    }
    if arguments == ["files"] {
        return files::run(&build_release()?, &data_folder());
    }
    if let [first, rest @ ..] = arguments
        && first == "shards"
    {
        let binaries = build_release()?;
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/shards.py");
        return shards::run(
            &binaries,
            &python,
            &script,
            &data,
            rest.first().map(String::as_str),
        );
    }
    if let [first, rest @ ..] = arguments
        && first == "remote"
    {
        let python = python::interpreter()?;
        python::install_remote_stores(&python)?;
        let tools = remote::Tools {
            binaries: build_release()?,
            server: servers::build(servers::RELEASE)?.join("remote_server"),
            python,
            packages: root().join("target/interop/remote"),
            script: root().join("tests/bench/remote.py"),
            folder: data_folder().join("remote"),
        };
        return remote::run(tools, rest.first().map(String::as_str));
    }
    if let [first, rest @ ..] = arguments
        && first == "archive"
    {
        let binaries = build_release()?;
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/archives.py");
        succeed(Command::new(&python).arg(script).arg(&data))?;
        return archive::run(&binaries, &data, rest.first().map(String::as_str));
    }
    if let [first, rest @ ..] = arguments
        && (first == "proof" || first == "parts")
    {
        let binaries = build_release()?;
        let (python, data) = make_data()?;
        let script = root().join("tests/bench/proof.py");
        succeed(Command::new(&python).arg(script).arg(&data))?;
        let only = rest.first().map(String::as_str);
        return match first.as_str() {
            "proof" => proof::proof(&binaries, &data, only),
            _ => proof::parts(&binaries, &data, only),
        };
    }
    let (older, only) = match arguments {
        [flag, ..] if flag.starts_with('-') && flag != "--before" => {
            let groups = "append, archive, dap, files, filters, inflate, jobs, join, parts, proof, python, references, remote, shards";
            anyhow::bail!("bench takes --before FOLDER, a part of a case's name, or one of {groups}");
        }
        [flag, rest @ ..] if flag == "--before" => {
            let folder = rest
                .first()
                .context("--before takes the folder of the older programs")?;
            (Some(Path::new(folder)), rest.get(1))
        }
        rest => (None, rest.first()),
    };
    if let Some(only) = only {
        let is_any = CASES.iter().any(|case| case.name.contains(only));
        anyhow::ensure!(is_any, "no case has '{only}' in its name");
    }
    let binaries = build_release()?;
    let (_, data) = make_data()?;
    let threads = std::thread::available_parallelism()?.get();
    println!("{threads} threads, data and output in {}", data.display());
    for case in CASES
        .iter()
        .filter(|case| only.is_none_or(|only| case.name.contains(only)))
    {
        match older {
            Some(older) => before::pair(case, older, &binaries, &data),
            None => pairs::pair(case, &binaries, &data, threads),
        }
        .with_context(|| case.name)?;
    }
    Ok(())
}

/// Makes the data, where it is missing. Returns the Python interpreter and the folder.
fn make_data() -> Result<(PathBuf, PathBuf)> {
    let (python, data) = (python::interpreter()?, data_folder());
    succeed(
        Command::new(&python)
            .arg(root().join("tests/bench/make.py"))
            .arg(&data),
    )?;
    Ok((python, data))
}

/// The folder of the data: on tmpfs, so that the disk does not matter.
fn data_folder() -> PathBuf {
    let shm = Path::new("/dev/shm");
    if shm.is_dir() {
        shm.join("ncutils-bench")
    } else {
        std::env::temp_dir().join("ncutils-bench")
    }
}

/// Builds the release binaries, and returns their folder.
fn build_release() -> Result<PathBuf> {
    Ok(Programs::build("release")?.folder())
}
