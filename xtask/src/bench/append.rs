//! Benchmarks of `--append`: 1 % more for a file of 2 GB, beside a copy of what is added.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::measure;

/// Numbers of a time step.
const STEP: usize = 1_000_000;

/// Time steps of the file, and of what is added.
const STEPS: [usize; 2] = [500, 5];

/// How often each program runs.
const RUNS: usize = 5;

/// Measures all.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, data: &Path) -> Result<()> {
    let folder = data.join("append");
    let printed = data.join("out.txt");
    for (kind, name) in [("nc4", "netCDF-4"), ("nc5", "CDF-5"), ("zarr3", "Zarr version 3")] {
        let [all, new] = make(binaries, &folder, kind)?;
        let copy = folder.join("copy");
        let (mut appends, mut copies, mut memory) = (f64::MAX, f64::MAX, [0, 0]);
        for _ in 0..RUNS {
            let mut append = Command::new(binaries.join("nccopy"));
            append.args(["--append", "--join", "time"]).arg(&new).arg(&all);
            let appended = measure::run(&mut append, &printed)?;
            let mut alone = Command::new(binaries.join("nccopy"));
            let copied = measure::run(alone.args(["-k", kind]).arg(&new).arg(&copy), &printed)?;
            appends = appends.min(appended.time.as_secs_f64());
            copies = copies.min(copied.time.as_secs_f64());
            memory = [memory[0].max(appended.peak), memory[1].max(copied.peak)];
        }
        let short = if appends > 2.0 * copies { "  SHORT" } else { "" };
        println!(
            "  {name:16} added in {appends:6.3} s, {:3} MB; copied alone in {copies:6.3} s, {:3} MB: {:4.2} x (wanted: at most 2){short}",
            memory[0] / 1_000_000,
            memory[1] / 1_000_000,
            appends / copies
        );
        remove(&folder)?;
    }
    Ok(())
}

/// Makes the file, and what is added to it.
fn make(binaries: &Path, folder: &Path, kind: &str) -> Result<[PathBuf; 2]> {
    remove(folder)?;
    fs::create_dir_all(folder)?;
    let values: Vec<_> = (0..STEP).map(|n| (n * n % 100_003).to_string()).collect();
    let text = format!(
        "netcdf s {{ dimensions: time = UNLIMITED; x = {STEP}; variables: float v(time, x); v:_ChunkSizes = 1, {STEP}; data: v = {}; }}",
        values.join(", ")
    );
    let (cdl, step) = (folder.join("s.cdl"), folder.join("s.nc"));
    fs::write(&cdl, text)?;
    let succeed = |command: &mut Command| {
        let status = command.status().context("a program does not start")?;
        anyhow::ensure!(status.success(), "{command:?} failed");
        Ok(())
    };
    succeed(
        Command::new(binaries.join("ncgen"))
            .args(["-k", "nc4", "-o"])
            .arg(&step)
            .arg(&cdl),
    )?;
    let joined = |name: &str, count: usize| {
        let output = folder.join(name);
        let mut command = Command::new(binaries.join("nccopy"));
        command.args(["--quiet", "-k", kind, "--join", "time"]);
        command.args(vec![&step; count]).arg(&output);
        succeed(&mut command).map(|()| output)
    };
    Ok([joined("all", STEPS[0])?, joined("new", STEPS[1])?])
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
