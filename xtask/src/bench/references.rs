//! Benchmarks of references to a file of a million chunks, beside kerchunk.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::remove_dataset;
use super::measure;
use crate::process::succeed;

/// How often each command of ours runs.
const TURNS: usize = 5;

/// Makes the file of the first argument.
const MAKE: &str = "
import sys, zlib, h5py, numpy
with h5py.File(sys.argv[1], 'w', libver='latest') as f:
    v = f.create_dataset('v', (1000, 1000, 16), 'f4', chunks=(1, 1, 16), compression='gzip')
    chunk = zlib.compress(numpy.arange(16, dtype='f4').tobytes())
    for i in range(1000):
        for j in range(1000):
            v.id.write_direct_chunk((i, j, 0), chunk)
";

/// Makes a file of deflated chunks of 1 MB.
const FIELD: &str = "
import sys, h5py, numpy
with h5py.File(sys.argv[1], 'w') as f:
    v = f.create_dataset('v', (1000, 512, 512), 'f4', chunks=(1, 512, 512), compression='gzip', compression_opts=1)
    field = numpy.random.default_rng(1).integers(0, 1000, size=(512, 512)).astype('f4')
    for i in range(1000):
        v[i] = field + i
";

/// Writes references of the first argument to the second one.
const KERCHUNK: &str = "
import json, sys
from kerchunk.hdf import SingleHdf5ToZarr
json.dump(SingleHdf5ToZarr(sys.argv[1]).translate(), open(sys.argv[2], 'w'))
";

/// Measures all rows. `packages` has kerchunk.
///
/// # Errors
/// A program fails.
pub fn run(binaries: &Path, python: &Path, packages: &Path, data: &Path) -> Result<()> {
    let (source, printed) = (data.join("million.h5"), data.join("out.txt"));
    if !source.exists() {
        succeed(Command::new(python).args(["-c", MAKE]).arg(&source))?;
    }
    println!("references of a file of 1,000,000 deflated chunks");
    let mut kerchunk = Command::new(python);
    kerchunk
        .env("PYTHONPATH", packages)
        .args(["-c", KERCHUNK])
        .arg(&source)
        .arg(data.join("kerchunk.json"));
    let peer = measure::run(&mut kerchunk, &printed)?;
    println!(
        "  {:24} {:6.2} s  {:4} MB",
        "kerchunk",
        peer.time.as_secs_f64(),
        peer.peak / 1_000_000
    );
    let ours = Ours {
        program: &binaries.join("nccopy"),
        data,
        printed: &printed,
    };
    let json = ours.least(&source, "refs.json")?;
    let parquet = ours.least(&source, "refs.parq")?;
    let repository = ours.least(&source, "refs.icechunk#mode=icechunk")?;
    for (name, found, most) in [("JSON", &json, 100), ("Parquet", &parquet, 64)] {
        let ratio = peer.time.as_secs_f64() / found.time.as_secs_f64();
        let is_short = ratio < 25.0 || found.peak / 1_000_000 > most;
        row(
            name,
            found,
            &format!("{ratio:5.1} x kerchunk (wanted: 25, {most} MB)"),
            is_short,
        );
    }
    let ratio = repository.time.as_secs_f64() / json.time.as_secs_f64();
    let told = format!("{ratio:5.2} x the JSON (at most 2)");
    row("Icechunk, with commit", &repository, &told, ratio > 2.0);
    println!("copy of a field of 1,000 chunks of 1 MB");
    let field = data.join("field.h5");
    if !field.exists() {
        succeed(Command::new(python).args(["-c", FIELD]).arg(&field))?;
    }
    ours.least(&field, "field.json")?;
    let direct = ours.least(&field, "copy.nc")?;
    let through = ours.least(&data.join("field.json"), "copy.nc")?;
    row("of the file itself", &direct, "", false);
    let ratio = through.time.as_secs_f64() / direct.time.as_secs_f64();
    let told = format!("{ratio:5.2} x the file itself (at most 1.2)");
    row("through references", &through, &told, ratio > 1.2);
    Ok(())
}

/// Our program, and where it works.
struct Ours<'a> {
    program: &'a Path,
    data: &'a Path,
    printed: &'a Path,
}

impl Ours<'_> {
    /// The least time and the largest peak of some copies to a new output.
    fn least(&self, input: &Path, output: &str) -> Result<measure::Run> {
        let output = self.data.join(output);
        let mut least: Option<measure::Run> = None;
        for _ in 0..TURNS {
            remove_dataset(&output);
            let mut command = Command::new(self.program);
            command.arg("--quiet").arg(input).arg(&output);
            let found = measure::run(&mut command, self.printed)?;
            least = Some(least.map_or(found, |least| measure::Run {
                time: least.time.min(found.time),
                peak: least.peak.max(found.peak),
            }));
        }
        least.context("no turn")
    }
}

fn row(name: &str, found: &measure::Run, told: &str, is_short: bool) {
    let short = if is_short { "  SHORT" } else { "" };
    println!(
        "  {name:24} {:6.2} s  {:4} MB  {told}{short}",
        found.time.as_secs_f64(),
        found.peak / 1_000_000
    );
}
