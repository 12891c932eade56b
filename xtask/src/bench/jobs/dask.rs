//! One rechunking on a cluster of Dask, by `ncutils.dask`, xarray and rechunker: see `tests/bench/jobs_dask.py`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::tools::Tools;
use crate::bench::cases::remove_dataset;
use crate::python;
use crate::workspace::root;

/// Runs of each program on its cluster, of which the first also imports modules in the workers. The fastest counts.
const RUNS: &str = "3";

/// Turns of each program.
const TURNS: usize = 2;

/// Least gain over xarray and rechunker.
const WANTED: f64 = 5.0;

/// The exit status of a script that lacks a package.
const MISSING: i32 = 3;

/// A program of the script.
struct Program {
    name: &'static str,
    /// Folders of packages below `target/interop`, which come before the interpreter's own.
    packages: &'static [&'static str],
    wanted: Option<f64>,
}

/// All of them. `slabs` is xarray that reads in the output's chunks: no figure is wanted of it.
const PROGRAMS: [Program; 4] = [
    Program {
        name: "ncutils",
        packages: &["dask"],
        wanted: None,
    },
    Program {
        name: "xarray",
        packages: &["dask"],
        wanted: Some(WANTED),
    },
    Program {
        name: "rechunker",
        packages: &["rechunker", "zarr2", "dask"],
        wanted: Some(WANTED),
    },
    Program {
        name: "slabs",
        packages: &["dask"],
        wanted: None,
    },
];

/// Measures all programs in turn, and compares their values with the input's.
///
/// # Errors
/// A program fails, or writes other values.
pub fn run(tools: &Tools) -> Result<()> {
    python::install_readers(&tools.python)?;
    python::install_rechunker(&tools.python)?;
    println!("rechunking 258 MB on a LocalCluster of 4 workers of one thread, deflate 5");
    let mut best = [None; PROGRAMS.len()];
    for _ in 0..TURNS {
        for (best, program) in best.iter_mut().zip(&PROGRAMS) {
            let seconds = measure(tools, program).with_context(|| program.name)?;
            *best = match (*best, seconds) {
                (Some(best), Some(seconds)) => Some(f64::min(best, seconds)),
                (best, seconds) => best.or(seconds),
            };
        }
    }
    let ours = best[0].context("Dask is not installed")?;
    for (program, best) in PROGRAMS.iter().zip(best) {
        let Some(seconds) = best else {
            println!("  {:10} is not installed", program.name);
            continue;
        };
        let ratio = seconds / ours;
        let wanted = match program.wanted {
            Some(wanted) if ratio < wanted => format!(" (wanted: {wanted})  SHORT"),
            Some(wanted) => format!(" (wanted: {wanted})"),
            None => String::new(),
        };
        println!("  {:10} {seconds:6.2} s  {ratio:5.2} x{wanted}", program.name);
    }
    Ok(())
}

/// The fastest of some runs, in seconds. `None` if a package is not installed.
fn measure(tools: &Tools, program: &Program) -> Result<Option<f64>> {
    let (input, output) = (tools.data.join("raw.nc"), output(&tools.data));
    let mut command = script(tools, program);
    command.arg(program.name).args([&input, &output]).arg(RUNS);
    let done = command.stdin(Stdio::null()).output()?;
    if done.status.code() == Some(MISSING) {
        return Ok(None);
    }
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let printed = String::from_utf8_lossy(&done.stdout);
    let times: Vec<f64> = printed.lines().map(str::parse).collect::<Result<_, _>>()?;
    crate::process::succeed(script(tools, program).arg("check").args([&input, &output]))?;
    remove_dataset(&output);
    Ok(times.into_iter().reduce(f64::min))
}

/// A call of the script with the program's packages.
fn script(tools: &Tools, program: &Program) -> Command {
    let interop = root().join("target/interop");
    let packages = program.packages.iter().map(|name| interop.join(name));
    let paths: Vec<PathBuf> = packages.chain([root().join("crates/wheel/python")]).collect();
    let mut command = Command::new(&tools.python);
    command
        .args(["-W", "ignore"])
        .arg(root().join("tests/bench/jobs_dask.py"))
        .env("PYTHONPATH", std::env::join_paths(paths).unwrap_or_default())
        .env("NCUTILS_BIN", &tools.binaries);
    command
}

fn output(data: &Path) -> PathBuf {
    data.join("rechunked.zarr")
}
