//! Benchmarks of parts and of proof: slices, virtual datasets, checks, digests, comparisons and verified copies of the field,
//! each beside another program. Both programs of a row run in turn. Rows whose peer is not installed print our time alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::measure;

/// Runs of each program. The fastest counts.
const REPEATS: usize = 5;

/// One comparison. Names of files are relative to the data.
struct ProofRow {
    /// The work, as the table names it.
    name: &'static str,
    /// Our program and its arguments.
    ours: (&'static str, &'static [&'static str]),
    /// The peer and its arguments.
    peer: (&'static str, &'static [&'static str]),
    /// How many times as fast ours is to be.
    wanted: f64,
}

/// Our output, and the peer's. Both are removed before each run.
const OUTPUTS: [&str; 3] = ["ours.nc", "peer.nc", "values.bin"];

/// Work on parts of datasets, and on data in other files.
const PARTS: [ProofRow; 4] = [
    ProofRow {
        name: "--isel time=50:150",
        ours: ("nccopy", &["--isel", "time=50:150", "grid.nc", "ours.nc"]),
        peer: ("ncks", &["-O", "-d", "time,50,149", "grid.nc", "peer.nc"]),
        wanted: 30.0,
    },
    ProofRow {
        name: "--sel lat=-10..10",
        ours: ("nccopy", &["--sel", "lat=-10..10", "grid.nc", "ours.nc"]),
        peer: ("ncks", &["-O", "-d", "lat,-10.0,10.0", "grid.nc", "peer.nc"]),
        wanted: 5.0,
    },
    ProofRow {
        name: "box of 21 x 21",
        ours: (
            "nccopy",
            &["--sel", "lat=40..50", "--sel", "lon=5..15", "grid.nc", "ours.nc"],
        ),
        peer: (
            "ncks",
            &[
                "-O",
                "-d",
                "lat,40.0,50.0",
                "-d",
                "lon,5.0,15.0",
                "grid.nc",
                "peer.nc",
            ],
        ),
        wanted: 3.0,
    },
    ProofRow {
        name: "248 files, virtual",
        ours: ("nccopy", &["virtual.h5", "ours.nc"]),
        peer: (
            "h5repack",
            &[
                "-l",
                "t2m:CHUNK=1x361x720",
                "-f",
                "t2m:SHUF",
                "-f",
                "t2m:GZIP=4",
                "virtual.h5",
                "peer.nc",
            ],
        ),
        wanted: 20.0,
    },
];

/// Work that proves a dataset or a copy.
const PROOF: [ProofRow; 5] = [
    ProofRow {
        name: "--diff",
        ours: ("ncdump", &["--diff", "raw.nc", "deflated.nc"]),
        peer: ("h5diff", &["raw.nc", "deflated.nc"]),
        wanted: 12.0,
    },
    ProofRow {
        name: "--diff",
        ours: ("ncdump", &["--diff", "raw.nc", "deflated.nc"]),
        peer: ("cdo", &["-s", "diffn", "raw.nc", "deflated.nc"]),
        wanted: 3.0,
    },
    ProofRow {
        name: "--check",
        ours: ("ncdump", &["--check", "deflated.nc"]),
        peer: (
            "h5dump",
            &["-b", "LE", "-o", "values.bin", "-d", "/t2m", "deflated.nc"],
        ),
        wanted: 10.0,
    },
    ProofRow {
        name: "--verify",
        ours: ("nccopy", &["--verify", "deflated.nc", "ours.nc"]),
        peer: ("/usr/bin/nccopy", &["deflated.nc", "peer.nc"]),
        wanted: 12.0,
    },
    ProofRow {
        name: "--digest",
        ours: ("ncdump", &["--digest", "deflated.nc"]),
        peer: ("openssl", &["dgst", "-sha256", "plain.bin"]),
        wanted: 0.5,
    },
];

/// Measures all parts, or those whose names contain `only`.
///
/// # Errors
/// If one of our programs fails.
pub fn parts(binaries: &Path, data: &Path, only: Option<&str>) -> Result<()> {
    table(&PARTS, binaries, data, only)
}

/// Measures all proof, or what `only` is in the names of.
///
/// # Errors
/// If one of our programs fails.
pub fn proof(binaries: &Path, data: &Path, only: Option<&str>) -> Result<()> {
    table(&PROOF, binaries, data, only)
}

fn table(rows: &[ProofRow], binaries: &Path, data: &Path, only: Option<&str>) -> Result<()> {
    println!(
        "{:20} {:>8}  {:16} {:>8} {:>8} {:>9}",
        "work", "ours", "peer", "", "ratio", "at least"
    );
    for row in rows {
        if only.is_some_and(|only| !row.name.contains(only)) {
            continue;
        }
        let (ours, theirs) = best(row, binaries, data)?;
        let peer = row.peer.0.rsplit('/').next().unwrap_or(row.peer.0);
        match theirs {
            Err(error) => println!("{:20} {ours:7.3} s  {peer}: {error:#}", row.name),
            Ok(theirs) => {
                let ratio = theirs / ours;
                let short = if ratio < row.wanted { "  SHORT" } else { "" };
                println!(
                    "{:20} {ours:7.3} s  {peer:16} {theirs:6.3} s {ratio:6.1} x {:>7.1} x{short}",
                    row.name, row.wanted
                );
            }
        }
    }
    Ok(())
}

/// The fastest runs of our program and of the peer, in seconds. They take turns. A peer that fails is not run again.
fn best(row: &ProofRow, binaries: &Path, data: &Path) -> Result<(f64, Result<f64>)> {
    let ours = binaries.join(row.ours.0);
    let (mut fastest, mut peers) = (f64::INFINITY, Ok(f64::INFINITY));
    for _ in 0..REPEATS {
        if let Ok(before) = peers {
            peers = time(Path::new(row.peer.0), row.peer.1, data).map(|now| before.min(now));
        }
        fastest = fastest.min(time(&ours, row.ours.1, data)?);
    }
    Ok((fastest, peers))
}

/// One run, in seconds. What it writes is removed.
fn time(program: &Path, arguments: &[&str], data: &Path) -> Result<f64> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(data);
    let printed = data.join("out.txt");
    let run = measure::run(&mut command, &printed);
    for made in OUTPUTS.iter().map(|name| data.join(name)).chain([printed]) {
        // Most runs write one of them.
        let _ = fs::remove_file(made);
    }
    Ok(run?.time.as_secs_f64())
}
