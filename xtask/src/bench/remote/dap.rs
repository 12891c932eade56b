//! Copies from a server of OPeNDAP, beside curl's download of the same data in one answer.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::line::Server;
use crate::bench::measure::{self, Measurement};

/// How often each command runs.
const TURNS: usize = 3;

/// Largest time of ours, as a multiple of curl's.
const MOST_TIME: f64 = 1.5;

/// Most memory of ours, in MB, whatever the size of the variable.
const MOST_MEMORY: u64 = 100;

/// Measures both. `script` starts the server, with `packages`, which has pydap.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, python: &Path, packages: &Path, script: &Path, data: &Path) -> Result<()> {
    fs::create_dir_all(data)?;
    let mut command = Command::new(python);
    command
        .env("PYTHONPATH", packages)
        .args(["-W", "ignore"])
        .arg(script)
        .arg(data.join("dap.log"));
    let (_server, line) = Server::start(&mut command)?;
    let port: u16 = line.trim().parse().context("the server prints no port")?;
    let (printed, output) = (data.join("out.txt"), data.join("dap.nc"));
    println!("copies from pydap, beside curl");
    for megabytes in [10, 100, 400] {
        let url = format!("http://127.0.0.1:{port}/mb{megabytes}");
        let last = megabytes * 5 / 2 - 1;
        let mut best: [Option<Measurement>; 2] = [None, None];
        for _ in 0..TURNS {
            let mut curl = Command::new("curl");
            curl.args(["--silent", "--globoff", "--output"])
                .arg(&output)
                .arg(format!("{url}.dods?v[0:1:{last}][0:1:99][0:1:999]"));
            let mut ours = Command::new(binaries.join("nccopy"));
            ours.arg("--quiet").arg(format!("{url}#dap2")).arg(&output);
            for (best, command) in best.iter_mut().zip([&mut curl, &mut ours]) {
                let _ = fs::remove_file(&output);
                let measured = measure::run(command, &printed)?;
                *best = Some(measured.best_with(*best));
            }
        }
        let _ = fs::remove_file(&output);
        let [Some(curl), Some(ours)] = best else { continue };
        let (ratio, peak) = (
            ours.time.as_secs_f64() / curl.time.as_secs_f64(),
            ours.peak / 1_000_000,
        );
        let short = match ratio > MOST_TIME && megabytes >= 100 || peak > MOST_MEMORY {
            true => "  SHORT",
            false => "",
        };
        println!(
            "  {megabytes:3} MB  curl {:5.2} s  nccopy {:5.2} s  {ratio:4.2} x curl (at most {MOST_TIME})  {peak:3} MB (at most {MOST_MEMORY}){short}",
            curl.time.as_secs_f64(),
            ours.time.as_secs_f64(),
        );
    }
    Ok(())
}
