//! Benchmarks of proof: checks, digests, comparisons and verified copies of the field, against other programs in the same
//! run. Peers that are not installed are skipped.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::measure;

/// Runs of each program. The fastest counts.
const REPEATS: usize = 3;

/// One comparison. Names of files are relative to the data.
struct Row {
    name: &'static str,
    /// Our program and its arguments.
    ours: (&'static str, &'static [&'static str]),
    /// The peer and its arguments.
    peer: (&'static str, &'static [&'static str]),
    /// How many times as fast ours is to be.
    wanted: f64,
}

const ROWS: [Row; 5] = [
    Row {
        name: "diff",
        ours: ("ncdump", &["--diff", "raw.nc", "deflated.nc"]),
        peer: ("h5diff", &["raw.nc", "deflated.nc"]),
        wanted: 12.0,
    },
    Row {
        name: "diff",
        ours: ("ncdump", &["--diff", "raw.nc", "deflated.nc"]),
        peer: ("cdo", &["-s", "diffn", "raw.nc", "deflated.nc"]),
        wanted: 3.0,
    },
    Row {
        name: "check",
        ours: ("ncdump", &["--check", "deflated.nc"]),
        peer: (
            "h5dump",
            &["-b", "LE", "-o", "values.bin", "-d", "/t2m", "deflated.nc"],
        ),
        wanted: 10.0,
    },
    Row {
        name: "verify",
        ours: ("nccopy", &["--verify", "deflated.nc", "verified.nc"]),
        peer: ("/usr/bin/nccopy", &["deflated.nc", "peer.nc"]),
        wanted: 12.0,
    },
    Row {
        name: "digest",
        ours: ("ncdump", &["--digest", "deflated.nc"]),
        peer: ("openssl", &["dgst", "-sha256", "values.bin"]),
        wanted: 0.5,
    },
];

/// Measures the rows, or those that `only` names.
///
/// # Errors
/// If one of our programs fails.
pub fn run(binaries: &Path, data: &Path, only: Option<&str>) -> Result<()> {
    for row in ROWS.iter().filter(|row| only.is_none_or(|only| row.name == only)) {
        let ours = best(&binaries.join(row.ours.0), row.ours.1, data)?;
        let peer = row.peer.0;
        match best(Path::new(peer), row.peer.1, data) {
            Err(error) => println!("{:8} {ours:.3} s; {peer}: {error:#}", row.name),
            Ok(theirs) => {
                let ratio = theirs / ours;
                let short = if ratio < row.wanted { "  SHORT" } else { "" };
                println!(
                    "{:8} {ours:.3} s, {peer} {theirs:.3} s: {ratio:.1} x, at least {}{short}",
                    row.name, row.wanted
                );
            }
        }
    }
    for made in ["values.bin", "verified.nc", "peer.nc"] {
        let _ = std::fs::remove_file(data.join(made));
    }
    Ok(())
}

/// The fastest of several runs, in seconds.
fn best(program: &Path, arguments: &[&str], data: &Path) -> Result<f64> {
    let mut fastest = f64::INFINITY;
    for _ in 0..REPEATS {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(data);
        let run = measure::run(&mut command, &data.join("out.txt"))?;
        fastest = fastest.min(run.time.as_secs_f64());
    }
    Ok(fastest)
}
