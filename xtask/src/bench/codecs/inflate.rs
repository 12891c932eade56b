//! `cargo xtask bench inflate`: how fast the chunks that we deflated are inflated, beside those of netcdf-bin from the same data.
//!
//! ```text
//! input ┬► our nccopy ─────────► chunks ─► our reader, zlib ┐
//!       └► netcdf-bin's nccopy ► chunks ─► our reader, zlib ┴► ratios of times
//! ```
//!
//! Both files are read on one core, in turns, and the median of the turns counts. Our reader reverses the shuffle as well,
//! which takes the same time for both files. `tests/bench/inflate.py` has zlib, as Debian builds it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::alone;
use crate::bench::cases::{CASES, Case, remove_dataset};
use crate::bench::measure::median;
use crate::process::succeed;

/// The id of the deflate filter of HDF5.
const DEFLATE: u32 = 1;

/// Turns of each file.
const TURNS: usize = 15;

/// A ratio this far below 1 is noise.
const NOISE: f64 = 0.97;

/// The median seconds in which the chunks of our file and those of the peer's are inflated.
struct Times {
    ours: f64,
    theirs: f64,
}

impl Times {
    fn print(&self, by: &str) {
        let ratio = self.theirs / self.ours;
        let short = if ratio < NOISE { "  SHORT" } else { "" };
        println!(
            "  {by:10} {:.3} s -> {:.3} s, ratio {ratio:.2} (wanted: 1){short}",
            self.theirs, self.ours
        );
    }
}

/// Measures the cases whose names contain `only`.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, python: &Path, script: &Path, data: &Path, only: Option<&str>) -> Result<()> {
    println!("one core; netcdf-bin's chunks -> ours");
    for case in CASES.iter().filter(|case| deflates(case)) {
        if only.is_some_and(|only| !case.name.contains(only)) {
            continue;
        }
        pair(binaries, python, script, data, case).with_context(|| case.name)?;
    }
    Ok(())
}

/// True if both programs make deflated chunks of the same data by the same flags.
fn deflates(case: &Case) -> bool {
    case.encode
        .and_then(<[_]>::last)
        .is_some_and(|(id, _)| *id == DEFLATE)
        && case.ours.is_empty()
        && case.peer.is_none()
}

/// Measures one case.
fn pair(binaries: &Path, python: &Path, script: &Path, data: &Path, case: &Case) -> Result<()> {
    let programs = [binaries.join("nccopy"), PathBuf::from("/usr/bin/nccopy")];
    let files = ["inflate-ours.nc", "inflate-theirs.nc"].map(|name| data.join(name));
    for (program, file) in programs.iter().zip(&files) {
        remove_dataset(file);
        succeed(
            Command::new(program)
                .args(case.flags)
                .arg(data.join(case.input))
                .arg(file),
        )?;
    }
    let [ours, theirs] = &files;
    println!("\n{}", case.name);
    by_us(ours, theirs)?.print("our reader");
    by_zlib(python, script, ours, theirs)?.print("zlib");
    files.iter().for_each(|file| remove_dataset(file));
    Ok(())
}

fn by_us(ours: &Path, theirs: &Path) -> Result<Times> {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..TURNS {
        for (file, times) in [ours, theirs].into_iter().zip(&mut times) {
            times.push(alone::time(file, &[], 1)?.as_secs_f64());
        }
    }
    let [ours, theirs] = times.map(median);
    Ok(Times { ours, theirs })
}

fn by_zlib(python: &Path, script: &Path, ours: &Path, theirs: &Path) -> Result<Times> {
    let output = Command::new(python)
        .arg(script)
        .args([ours, theirs])
        .arg(TURNS.to_string())
        .output()?;
    ensure!(
        output.status.success(),
        "{} fails: {}",
        script.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    let [ours, theirs] = serde_json::from_slice(&output.stdout).context("two times are printed")?;
    Ok(Times { ours, theirs })
}
